/** The realm of `config/` as it is deployed: bundled, in a process of its own, at its most talkative. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ProcessPlace } from "../../runtime/store/testing/stores.ts";
import { realmc } from "../command-line.ts";
import { config } from "./compiled.ts";

export interface Deployed {
  /** Of the realm: `http://127.0.0.1:<port>/v1/<realm>`. */
  readonly url: string;
  /** What it wrote to both of its outputs so far. */
  output(): string;
  /** Runs one of its commands beside it; answers what that prints. */
  command(...words: readonly string[]): string;
  /** The `nth` mail (from 1) to an address, when it is there. */
  mail(to: string, nth?: number): Promise<string>;
  /** Every file that it keeps, but for those of mails. */
  files(): ReadonlyMap<string, Buffer>;
  /** Ends it as an operator does. */
  stop(): Promise<void>;
}

/**
 * @param place of its store, which names the realm too
 * @param workspace a folder within the checkout, where the bundle finds its packages
 */
export async function deploy(place: ProcessPlace, keys: string, workspace: string): Promise<Deployed> {
  const realms = join(workspace, "config");
  mkdirSync(realms);
  cpSync(join(config, "fort"), join(realms, place.realm), { recursive: true });
  const words = [realmc, "build", realms, "--out", join(workspace, "generated")];
  execFileSync(process.execPath, [...words, "--bundle", join(workspace, "dist")], { stdio: "pipe" });
  const script = join(workspace, "dist/server.mjs");
  const data = join(workspace, "data");
  const env = {
    PATH: process.env["PATH"],
    PORT: "0",
    SVC_STORE: place.setting,
    SVC_DATA: data,
    SVC_KEYS: keys,
    SVC_LOG: "trace",
    SVC_METRICS: "on",
  };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const url = listening(child, lines);
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const closed = once(child, "close");
  return {
    url: `${await url}/v1/${place.realm}`,
    output: () => lines.join("\n"),
    command: (...given) => execFileSync(process.execPath, [script, ...given], { env, encoding: "utf8" }),
    async mail(to, nth = 1) {
      for (;;) {
        const mails = mailsIn(join(data, "outbox")).filter((mail) => mail.includes(`To: ${to}`));
        const mail = mails[nth - 1];
        if (mail !== undefined) return mail;
        await new Promise((go) => setImmediate(go));
      }
    },
    files() {
      const folders = [data, ...(place.location.engine === "sqlite" ? [place.location.folder] : [])];
      return new Map(folders.flatMap(filesIn).map((path) => [path, readFileSync(path)]));
    },
    async stop() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}

/** Where it listens, when it is ready. */
function listening(
  child: ChildProcess & { readonly stdout: NodeJS.ReadableStream },
  lines: string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    let url = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const entry: { readonly msg?: string; readonly url?: string } = JSON.parse(line);
      if (entry.msg === "listening") url = entry.url ?? "";
      if (entry.msg === "ready") resolve(url);
    });
    child.once("close", () => reject(new Error(`the server ended: ${lines.join("\n")}`)));
  });
}

/** Oldest first, by their names. */
function mailsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".eml") && !name.startsWith("."));
  return names.sort().map((name) => readFileSync(join(folder, name), "utf8"));
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.split("/").includes("outbox"))
    .map(({ parentPath, name }) => join(parentPath, name));
}
