import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { freePort, ready } from "../bench/servers.ts";
import { Writer } from "./writer.ts";

export interface CrashReport {
  readonly kills: number;
  /** Writes that the server acknowledged before it was killed. */
  readonly acknowledged: number;
  /** Documents compared after the restarts. */
  readonly verified: number;
}

/**
 * Kills the server with SIGKILL under load `kills` times and checks after each restart that every acknowledged write is
 * there and no batch was applied in part.
 * @throws Error naming the document that was lost.
 */
export async function crash(server: string, data: string, kills: number, writers = 16): Promise<CrashReport> {
  const all = Array.from({ length: writers }, (_, number) => new Writer(`W${number}`));
  let verified = 0;
  for (let kill = 0; kill <= kills; kill++) {
    const { child, url } = await start(server, data);
    try {
      for (const writer of all) verified += await writer.verify(url);
      if (kill === kills) break;
      const exit = once(child, "exit");
      const running = all.map((writer) => writer.run(url));
      await new Promise((resolve) => setTimeout(resolve, randomInt(50, 600)));
      child.kill("SIGKILL");
      await Promise.all([exit, ...running]);
    } finally {
      child.kill("SIGKILL");
    }
  }
  return { kills, acknowledged: all.reduce((sum, writer) => sum + writer.acknowledged, 0), verified };
}

async function start(server: string, data: string): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, [server], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      SVC_STORE: `sqlite:${data}`,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child);
  return { child, url };
}
