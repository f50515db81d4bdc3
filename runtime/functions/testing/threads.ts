/** Functions for tests of what runs them: handlers written as modules, and a server that answers as told. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync, transformSync } from "esbuild";
import type { CallDefinition } from "../../realm/functions.ts";
import { exportedBy, moduleFoot, moduleHead } from "../handler-module.ts";
import type {
  FunctionFiles,
  FunctionHost,
  HostReply,
  HostRequest,
  LogLine,
  Outcome,
  Result,
  Run,
  Runner,
} from "../invocation.ts";

/** The worker's entry and handlers, in a folder of their own. */
export class TestFunctions implements FunctionFiles {
  readonly folder = mkdtempSync(join(tmpdir(), "realmc-functions-"));

  constructor() {
    buildSync({
      entryPoints: [fileURLToPath(new URL("../worker/entry.ts", import.meta.url))],
      outfile: join(this.folder, "function-worker.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      tsconfigRaw: {},
      logLevel: "silent",
    });
  }

  /** @param source of a TypeScript module whose default export is the handler, and which imports modules of Node alone */
  add(name: string, source: string, more: Partial<Omit<CallDefinition, "mode">> = {}): CallDefinition {
    const { code, map } = transformSync(source, {
      loader: "ts",
      format: "cjs",
      target: "node20",
      supported: { "dynamic-import": false },
      sourcemap: "external",
      sourcefile: `${name}.ts`,
      banner: `${moduleHead} const module = { exports: {} };`,
      footer: `${exportedBy}(module.exports.default); ${moduleFoot}`,
    });
    return this.addScript(name, code, more, map);
  }

  /** @param script as a bundle has it, or as none would */
  addScript(
    name: string,
    script: string,
    more: Partial<Omit<CallDefinition, "mode">> = {},
    map?: string,
  ): CallDefinition {
    const definition: CallDefinition = {
      mode: "call",
      realm: "acme",
      database: "shop",
      name,
      timeout: 10_000,
      memory: 128 * 1024 ** 2,
      concurrency: 8,
      scopes: { read: ["shop"], write: ["shop"] },
      secrets: [],
      network: [],
      mail: false,
      idempotency: "optional",
      attempts: 5,
      ...more,
    };
    const path = join(this.folder, "functions", definition.realm, definition.database, `${name}.cjs`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, script);
    if (map !== undefined) writeFileSync(`${path}.map`, map);
    return definition;
  }

  discard(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Calls it. */
export function running(
  runner: Runner,
  definition: CallDefinition,
  input: unknown = {},
  more: Partial<Run> = {},
): Promise<Outcome> {
  return runner.run({
    definition,
    input: { kind: "call", input: JSON.stringify(input) },
    requestId: "request",
    secrets: {},
    host: new TestHost(),
    signal: new AbortController().signal,
    ...more,
  });
}

/** What an outcome holds where a call returned the value. */
export function returned(value: unknown): { readonly result: Result } {
  return { result: { kind: "returned", value: { kind: "call", output: JSON.stringify(value) } } };
}

/** Keeps what it is asked and told. */
export class TestHost implements FunctionHost {
  readonly requests: HostRequest[] = [];
  readonly lines: LogLine[] = [];
  readonly #reply: (request: HostRequest) => HostReply | Promise<HostReply>;

  constructor(reply: (request: HostRequest) => HostReply | Promise<HostReply> = () => ({ status: 204 })) {
    this.#reply = reply;
  }

  async answer(request: HostRequest): Promise<HostReply> {
    this.requests.push(request);
    return this.#reply(request);
  }

  log(line: LogLine): void {
    this.lines.push(line);
  }
}

/** A host that answers when it is let go. */
export function gate() {
  let open = () => {};
  let entered = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    entered = resolve;
  });
  const host = new TestHost(async () => {
    entered();
    await opened;
    return { status: 404, body: '{"error":{"code":"not_found","message":"none","details":[]}}' };
  });
  return { host, asked, open };
}
