/** `realmc dev` with functions: they are served, their lines shown, and a change of their code runs in its place. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DevRun, write } from "./run.ts";

/** Answers when the test says so. */
class Gate {
  readonly #server = createServer((_, response) => {
    this.#waiting.push(response);
    this.#heard();
  });
  readonly #waiting: ServerResponse[] = [];
  #heard: () => void = () => undefined;

  async open(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  /** Somebody waits; answers how to let them through. */
  async visited(): Promise<() => void> {
    for (;;) {
      const response = this.#waiting.shift();
      if (response !== undefined) return () => void response.end("go");
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

const handler = (body: string): string =>
  [
    'import type { Handler } from "./$types.ts";',
    "",
    "const hook: Handler = (input, ctx) => {",
    '  ctx.log.info("heard\\u001b[31m", { bytes: input.body.length });',
    `  return { body: ${JSON.stringify(body)} };`,
    "};",
    "",
    "export default hook;",
    "",
  ].join("\n");

describe("realmc dev with a function", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-dev-functions-"));
  const path = "config/desk/db/_func/hook/handler.ts";
  const gate = new Gate();
  let dev: DevRun;
  let url: string;
  let port: number;

  beforeAll(async () => {
    write(folder, "config/desk/realm.yaml", "auth: enabled\n");
    write(folder, "config/desk/db/things/schema.json", '{ "type": "object" }\n');
    write(folder, "config/desk/db/_func/hook/function.yaml", "mode: webhook\ninvoke: true\n");
    write(folder, path, handler("one"));
    port = await gate.open();
    const waiting = `network: ['127.0.0.1:${port}']\n`;
    write(folder, "config/desk/db/_func/slow/function.yaml", `mode: webhook\ninvoke: true\n${waiting}`);
    write(folder, "config/desk/db/_func/slow/handler.ts", slow("one"));
    const triggers = "triggers: [{ collection: things, on: [create] }]\n";
    write(folder, "config/desk/db/_func/watch/function.yaml", `mode: event\n${triggers}${waiting}`);
    write(folder, "config/desk/db/_func/watch/handler.ts", watch("one"));
    write(folder, "config/desk/db/things/collection.yaml", "rules: { create: true }\n");
    dev = new DevRun(folder);
    url = await dev.url();
  }, 120_000);
  afterAll(async () => {
    await dev.stop();
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  /** Waits at the gate where it is asked to. */
  const slow = (body: string): string =>
    [
      'import type { Handler } from "./$types.ts";',
      "const slow: Handler = async (input, ctx) => {",
      `  if (input.text() === "wait") await ctx.fetch("http://127.0.0.1:${port}/");`,
      `  ctx.log.info(${JSON.stringify(`slow ${body}`)});`,
      `  return { body: ${JSON.stringify(body)} };`,
      "};",
      "export default slow;",
    ].join("\n");
  const watch = (version: string): string =>
    [
      'import type { Handler } from "./$types.ts";',
      "const watch: Handler = async (input, ctx) => {",
      `  await ctx.fetch("http://127.0.0.1:${port}/");`,
      `  ctx.log.info(${JSON.stringify(`saw by ${version}`)}, { attempt: input.attempt });`,
      "};",
      "export default watch;",
    ].join("\n");
  const ask = async (body: string): Promise<string> =>
    (await fetch(`${url}/v1/desk/db/_func/slow`, { method: "POST", body })).text();
  const create = async (): Promise<number> => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}/v1/desk/db/things`, { method: "POST", body: "{}", headers })).status;
  };
  /** The process that serves, as the store's lock names it. */
  const server = (): string => readFileSync(join(folder, "data/lock.holder"), "utf8");

  const call = async (): Promise<string> =>
    (await fetch(`${url}/v1/desk/db/_func/hook`, { method: "POST", body: "abc" })).text();

  test("what a handler logs is shown with its name, whatever the server itself is to log", async () => {
    expect(await call()).toBe("one");
    const [line] = await dev.until(/^desk db\/hook .*\n/m);
    expect(line).toBe('desk db/hook info: heard\\u001b[31m {"bytes":3}\n');
  });

  test("a changed handler is served; one with a mistake is shown, and the one before goes on", async () => {
    write(folder, path, handler("two"));
    await dev.until(/^db\/_func\/hook: handler\.ts → hook\.cjs; in new threads in .*\n/m);
    expect(await call()).toBe("two");
    write(folder, path, handler("three").replace("input.body", "input.bdy"));
    await dev.until(/handler\.ts:4:\d+ error .*goes on\n/s);
    expect(await call()).toBe("two");
  });

  test("a handler changes while a call of it runs: that ends as it began, the next is by the new one, in the same server", async () => {
    write(folder, path, handler("two"));
    const before = server();
    const first = ask("wait");
    const release = await gate.visited();
    write(folder, "config/desk/db/_func/slow/handler.ts", slow("two"));
    await dev.until(/slow: handler\.ts → slow\.cjs; in new threads in/);
    expect(await ask("at once")).toBe("two");
    await dev.until(/^desk db\/slow info: slow two\n/m);
    release();
    expect(await first).toBe("one");
    await dev.until(/^desk db\/slow info: slow one\n/m);
    expect(server()).toBe(before);
  });

  test("a handler changes while a trigger runs it: that run ends as it began and is not done again", async () => {
    expect(await create()).toBe(201);
    const release = await gate.visited();
    write(folder, "config/desk/db/_func/watch/handler.ts", watch("two"));
    await dev.until(/watch: handler\.ts → watch\.cjs; in new threads in/);
    release();
    const [line] = await dev.until(/^desk db\/watch info: .*\n/m);
    expect(line).toBe('desk db/watch info: saw by one {"attempt":1}\n');
    expect(await create()).toBe(201);
    (await gate.visited())();
    const [next] = await dev.until(/^desk db\/watch info: .*\n/m);
    expect(next).toBe('desk db/watch info: saw by two {"attempt":1}\n');
  });

  test("settings of a function change: the server is restarted", async () => {
    write(folder, "config/desk/db/_func/hook/function.yaml", "mode: webhook\ninvoke: true\ntimeout: 5s\n");
    await dev.until(/db\/_func\/hook: function\.yaml → function\.ts.*restarted in/s);
    expect(await call()).toBe("two");
  });
});
