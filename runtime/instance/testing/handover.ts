/** A bundle in a folder whose `server.mjs` tests replace, and clients that keep it busy. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { programOf } from "../../../scripts/program.ts";
import { untilHolds } from "../../testing/until.ts";

const fixture = pathToFileURL(await programOf("runtime/instance/testing/fixture-server.ts")).href;

export interface Bundle {
  readonly folder: string;
  readonly script: string;
  /** Puts another version there, `prelude` before all that it does. */
  version(fingerprint: string, prelude?: string): void;
  /** Puts a program there. */
  broken(text: string): void;
  discard(): void;
}

export function bundle(realm: string): Bundle {
  const folder = mkdtempSync(join(tmpdir(), "realmc-bundle-"));
  const script = join(folder, "server.mjs");
  const version = (fingerprint: string, prelude = "") =>
    writeFileSync(
      script,
      `process.argv = [...process.argv.slice(0, 2), ${JSON.stringify(realm)}, "--fingerprint=${fingerprint}", ...process.argv.slice(2)];\n${prelude}\nawait import(${JSON.stringify(fixture)});\n`,
    );
  version("f1");
  writeFileSync(join(folder, "package.json"), "{}");
  return {
    folder,
    script,
    version,
    broken: (text) => writeFileSync(script, text),
    discard: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface Load {
  /** What each client got that it should not have: a status, or what befell its connection. */
  readonly failures: string[];
  /** Ids of documents whose creation was acknowledged. */
  readonly created: string[];
  /** Milliseconds that each answer took. */
  readonly times: number[];
  /** Resolves when so many more are. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Clients that create documents, one after the other each, on connections that they keep. */
export function load(items: string, clients: number, document: () => object = () => ({})): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const failures: string[] = [];
  const created: string[] = [];
  const times: number[] = [];
  let stopped = false;
  const working = Array.from({ length: clients }, async () => {
    while (!stopped) {
      try {
        const begun = performance.now();
        const { status, body } = await post(items, agent, JSON.stringify(document()));
        times.push(performance.now() - begun);
        const { id }: { id?: string } = JSON.parse(body);
        if (status === 201 && id !== undefined) created.push(id);
        else failures.push(`${status} ${body}`);
      } catch (error) {
        failures.push(String(error));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  return {
    failures,
    created,
    times,
    async more(count) {
      const wanted = created.length + count;
      await untilHolds(() => created.length >= wanted, { limit: 120_000 });
    },
    async stop() {
      stopped = true;
      await Promise.all(working);
      agent.destroy();
    },
  };
}

function post(url: string, agent: Agent, text: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: "POST", headers: { "content-type": "application/json" } });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => {
        body += piece;
      });
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      answer.once("error", reject);
    });
    sent.end(text);
  });
}
