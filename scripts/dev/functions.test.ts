/** `realmc dev` with a function: it is served, its lines are shown, and a change of its code is served in its place. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DevRun, write } from "./run.ts";

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
  let dev: DevRun;
  let url: string;

  beforeAll(async () => {
    write(folder, "config/desk/realm.yaml", "auth: enabled\n");
    write(folder, "config/desk/db/things/schema.json", '{ "type": "object" }\n');
    write(folder, "config/desk/db/_func/hook/function.yaml", "mode: webhook\ninvoke: true\n");
    write(folder, path, handler("one"));
    dev = new DevRun(folder);
    url = await dev.url();
  }, 120_000);
  afterAll(async () => {
    await dev.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  const call = async (): Promise<string> =>
    (await fetch(`${url}/v1/desk/db/_func/hook`, { method: "POST", body: "abc" })).text();

  test("what a handler logs is shown with its name, whatever the server itself is to log", async () => {
    expect(await call()).toBe("one");
    const [line] = await dev.until(/^desk db\/hook .*\n/m);
    expect(line).toBe('desk db/hook info: heard\\u001b[31m {"bytes":3}\n');
  });

  test("a changed handler is served; one with a mistake is shown, and the one before goes on", async () => {
    write(folder, path, handler("two"));
    await dev.until(/restarted in/);
    expect(await call()).toBe("two");
    write(folder, path, handler("three").replace("input.body", "input.bdy"));
    await dev.until(/handler\.ts:4:\d+ error .*goes on\n/s);
    expect(await call()).toBe("two");
  });
});
