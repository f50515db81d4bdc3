/** `realmc invoke`: a function of a configuration, on a folder of data. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockFolder } from "../../runtime/store/sqlite/lock.ts";
import { commandsIn, entry } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-invoke-"));

beforeAll(() => {
  write("config/shop/realm.yaml", "auth: enabled\nsignup: open\n");
  write("config/shop/db/things/schema.json", '{"type":"object","properties":{"name":{"type":"string"}}}\n');
  write("config/shop/db/things/collection.yaml", "rules: { read: true }\n");
  write(
    "config/shop/db/_func/count/function.yaml",
    "mode: call\ninvoke: user != null\ninput: { type: object, properties: { name: { type: string } }, required: [name] }\n",
  );
  write(
    "config/shop/db/_func/count/handler.ts",
    `import type { Handler } from "./$types.ts";

const count: Handler = async ({ name }, ctx) => {
  if (name === "") throw ctx.error(409, "nameless", "It has no name.");
  await ctx.db.db.things.create({ name });
  ctx.log.info("counted", { name });
  return { who: ctx.caller.kind, count: await ctx.db.db.things.count() };
};

export default count;
`,
  );
  write("config/shop/db/_func/tick/function.yaml", "mode: event\nschedule: '0 3 * * *'\n");
  write(
    "config/shop/db/_func/tick/handler.ts",
    'import type { Handler } from "./$types.ts";\n\nconst tick: Handler = () => {};\nexport default tick;\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** As a process of its own, in the folder. */
function invoke(name: string, input: unknown, ...words: readonly string[]) {
  const all = [entry, "invoke", name, "--input", "-", ...words];
  const { SVC_STORE: _, ...env } = process.env;
  const options = { cwd: folder, encoding: "utf8", input: JSON.stringify(input), env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, all, options);
  return { status, stdout, stderr };
}

test("prints the output alone on stdout, what the handler logs on stderr, and what it wrote stays", {
  timeout: 120_000,
}, () => {
  const first = invoke("shop/db/count", { name: "a" });
  expect(first).toEqual({
    status: 0,
    stdout: '{"who":"key","count":1}\n',
    stderr: 'info: counted {"name":"a"}\n',
  });
  write("input.json", '{"name":"b"}');
  const second = invoke("shop/db/count", {}, "--input", "input.json", "--store", "sqlite:./data");
  expect(second.stdout).toBe('{"who":"key","count":2}\n');
});

test("exits 1 with the error's envelope: the handler's own, and that the input does not fit", {
  timeout: 120_000,
}, () => {
  const own = invoke("shop/db/count", { name: "" });
  expect([own.status, own.stdout]).toEqual([1, ""]);
  expect(JSON.parse(own.stderr)).toMatchObject({ error: { code: "nameless", message: "It has no name." } });
  const wrong = invoke("shop/db/count", {});
  expect([wrong.status, JSON.parse(wrong.stderr).error.code]).toEqual([1, "validation_error"]);
});

test("--as is a user who is there", { timeout: 120_000 }, () => {
  const { status, stderr } = invoke("shop/db/count", { name: "a" }, "--as", "nobody");
  expect(status).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: "invalid_header", details: [{ path: "X-Svc-On-Behalf-Of" }] },
  });
});

test("a folder that a server has is left alone: it says which, and where to call", {
  timeout: 120_000,
}, () => {
  const lock = lockFolder(join(folder, "data"), "process 7 on here, serving 127.0.0.1:8080");
  try {
    const { status, stdout, stderr } = invoke("shop/db/count", { name: "a" });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /data is in use by process 7 on here, serving 127\.0\.0\.1:8080; stop it, or call the function there: POST \/v1\/shop\/db\/_func\/count\n$/,
    );
  } finally {
    lock.release();
  }
});

test("wrong command lines exit 2: a function that there is not, one of events, a realm", {
  timeout: 120_000,
}, async () => {
  const typo = invoke("shop/db/cont", {});
  expect([typo.status, typo.stderr.split("\n")[0]]).toEqual([
    2,
    "there is no function 'shop/db/cont' (did you mean 'shop/db/count'?)",
  ]);
  const tick = invoke("shop/db/tick", {});
  expect([tick.status, tick.stderr]).toEqual([2, expect.stringContaining("shop/db/tick is run by events")]);
  const realmc = commandsIn(folder);
  const realm = await realmc("invoke", "shp/db/count");
  expect([realm.status, realm.stderr]).toEqual([2, expect.stringContaining("no realm 'shp'")]);
  expect((await realmc("invoke", "count")).stderr).toContain("<realm>/<database>/<function>");
});
