import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { programOf } from "../../../scripts/program.ts";
import type { ProcessPlace } from "../../store/testing/stores.ts";

const keys = Buffer.alloc(32, 7).toString("base64");
const script = await programOf("runtime/instance/testing/fixture-server.ts");

/** A server in a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Exit code, once it has exited and nobody writes to its output any longer: not a server that it handed over to either. */
  readonly ended: Promise<number | null>;
  /** Resolves when it has exited. */
  readonly exited: Promise<void>;
  /** Resolves with the first log line that has the message. */
  line(message: string): Promise<Record<string, unknown>>;
  readonly out: string[];
  readonly err: string[];
}

/** @param words flags of `fixture-server.ts` */
export function startProcess(
  place: ProcessPlace,
  environment: Record<string, string> = {},
  words: readonly string[] = [],
): ServerProcess {
  return startNode([script, place.realm, ...words], place, environment);
}

/** The same of another program that serves. */
export function startNode(
  words: readonly string[],
  place: ProcessPlace,
  environment: Record<string, string> = {},
): ServerProcess {
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env["PATH"], PORT: "0", SVC_STORE: place.setting, SVC_KEYS: keys, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const out: string[] = [];
  const err: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (text) => {
    out.push(text);
    for (const look of waiting) look();
  });
  createInterface({ input: child.stderr }).on("line", (text) => err.push(text));
  const ended = once(child, "close").then(([code]) => (typeof code === "number" ? code : null));
  const exited = once(child, "exit").then(() => undefined);
  return {
    child,
    ended,
    exited,
    out,
    err,
    line: (message) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = out
            .map((text): Record<string, unknown> => JSON.parse(text))
            .find((entry) => entry["msg"] === message);
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without ${message}: ${err.join("\n")}`)));
      }),
  };
}

/** Where it listens, once it is ready. */
export async function urlOf(server: ServerProcess): Promise<string> {
  const { url } = await server.line("listening");
  await server.line("ready");
  return String(url);
}
