/** Where a running server is asked to hand over by a command, and told of the outcome: a socket beside its data. */
import { once } from "node:events";
import { renameSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { isJsonObject } from "../../json.ts";
import type { Log } from "../../realm/exchange.ts";
import type { Settings } from "../settings.ts";

type Place = Pick<Settings, "data" | "port" | "store">;

/** How a handover ended, as a command hears of it. */
export type Told =
  | { readonly outcome: "done"; readonly pid: number }
  | { readonly outcome: "kept"; readonly reason: string };

/** The socket's path; undefined where there is no folder for one. */
export function controlPath({ data, port, store }: Place): string | undefined {
  const folder = data ?? (store.engine === "sqlite" ? store.folder : undefined);
  return folder === undefined || folder === ":memory:"
    ? undefined
    : resolve(join(folder, `server-${port}.sock`));
}

export interface Control {
  /** Tells everybody who asked; resolves when it is sent. */
  tell(told: Told): Promise<void>;
  /** @param isLast nobody serves here any longer */
  close(isLast: boolean): void;
}

/**
 * @param asked called for each command that asks for a handover
 */
export async function openControl(settings: Place, asked: () => void, log: Log): Promise<Control> {
  const path = controlPath(settings);
  const asking = new Set<Socket>();
  const server = createServer((socket) => {
    asking.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => asking.delete(socket));
    // Whoever connects asks: there is nothing else to ask for.
    socket.resume();
    asked();
  });
  if (path !== undefined) {
    // Put in place of that of the server before, whose socket lies elsewhere since it did the same.
    const own = `${path}.${process.pid}`;
    try {
      server.listen(own);
      await once(server, "listening");
      renameSync(own, path);
    } catch (error) {
      log.warn(
        { path, reason: String(error) },
        "no handover by command: its socket cannot be made (SIGUSR2 does it)",
      );
    }
    server.unref();
  }
  return {
    async tell(told) {
      const line = `${JSON.stringify(told)}\n`;
      const sent = [...asking].map((socket) => new Promise<void>((done) => socket.end(line, () => done())));
      await Promise.all(sent);
    },
    close(isLast) {
      if (server.listening) server.close();
      if (isLast && path !== undefined) rmSync(path, { force: true });
    },
  };
}

/**
 * Asks the server whose socket it is, and waits.
 * @returns undefined when there is none
 */
export async function askForHandover(path: string): Promise<Told | undefined> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
    throw error;
  }
  socket.on("error", () => socket.destroy());
  for await (const line of createInterface({ input: socket })) {
    const told: unknown = JSON.parse(line);
    if (isTold(told)) return told;
  }
  return { outcome: "kept", reason: "the server ended before it told how the handover went" };
}

function isTold(told: unknown): told is Told {
  if (!isJsonObject(told)) return false;
  return told["outcome"] === "done" ? typeof told["pid"] === "number" : typeof told["reason"] === "string";
}
