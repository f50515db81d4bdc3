/** A project that has the package installed, on one version of Node. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

export interface Installed {
  /** Runs `npx realmc`; answers what it writes to stdout. */
  realmc(...words: readonly string[]): string;
  /** Runs `npx realmc serve` until `work` is done and SIGTERM has ended it; answers its exit code. */
  serve(dist: string, work: (url: string) => Promise<void>): Promise<number | null>;
}

/** @param node The program to run it with. */
export function installedIn(folder: string, node: string): Installed {
  const script = join(folder, "node_modules/.bin/realmc");
  const options = {
    cwd: folder,
    env: {
      PATH: [dirname(node), process.env["PATH"]].join(delimiter),
      SVC_STORE: "sqlite:./data",
      SVC_KEYS: Buffer.alloc(32, 7).toString("base64"),
      PORT: "0",
    },
  };
  return {
    realmc: (...words) => execFileSync(script, words, { ...options, encoding: "utf8", stdio: "pipe" }),
    async serve(dist, work) {
      const child = spawn(script, ["serve", dist], { ...options, stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(child, "exit");
      try {
        for await (const line of createInterface({ input: child.stdout })) {
          const { msg, realms } = JSON.parse(line);
          if (msg !== "ready") continue;
          await work(String(realms[0]));
          break;
        }
      } finally {
        child.kill("SIGTERM");
      }
      const [code]: readonly unknown[] = await ended;
      return typeof code === "number" ? code : null;
    },
  };
}
