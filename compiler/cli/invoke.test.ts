/** `realmc invoke`: a function of a configuration, on a folder of data; and the same in a bundle. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../runtime/clock.ts";
import { configurationShape, recordedConfiguration } from "../../runtime/realm/recorded.ts";
import { openStores } from "../../runtime/store/engines.ts";
import { until } from "../../runtime/testing/until.ts";
import { externalPackages } from "../bundle/bundle.ts";
import { readOutput } from "../output/read.ts";
import { installedFolder } from "../package/package.ts";
import { commandsIn, entry } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-invoke-"));
const realmc = commandsIn(folder);
const timeout = 120_000;

const imported = 'import type { Handler } from "./$types.ts";\n\n';
const functions = {
  count: [
    "mode: call\ninvoke: user.id != null && data.name != 'secret'",
    "input: { type: object, properties: { name: { type: string } }, required: [name] }",
    `const handler: Handler = async ({ name }, ctx) => {
  if (name === "") throw ctx.error(409, "nameless", "It has no name.");
  if (name === "bug") throw new TypeError("a bug");
  await ctx.db.db.things.create({ name });
  ctx.log.info("counted", { name });
  return { who: ctx.caller.kind, count: await ctx.db.db.things.count() };
};`,
  ],
  later: [
    "mode: call\ninvoke: user.id != null",
    "idempotency: required",
    'const handler: Handler = (_, ctx) => ctx.jobs.enqueue("db/count", { name: "later" });',
  ],
  tick: [
    "mode: event\nschedule: '0 3 * * *'",
    "triggers: [{ collection: things, on: [create], when: document.name != 'tock' }]",
    `const handler: Handler = async (event, ctx) => {
  if (event.kind === "schedule") throw ctx.fail("no_plan", "There is no plan.");
  await ctx.db.db.things.create({ name: "tock" });
};`,
  ],
  hook: [
    "mode: webhook\ninvoke: true",
    "",
    'const handler: Handler = (request) => ({ status: request.text() === "" ? 400 : 200, body: request.body });',
  ],
};

beforeAll(async () => {
  write("config/shop/realm.yaml", "auth: enabled\nsignup: open\n");
  write("config/shop/db/things/schema.json", '{"type":"object","properties":{"name":{"type":"string"}}}\n');
  write("config/shop/db/things/collection.yaml", "rules: { read: true }\n");
  for (const [name, [mode = "", more = "", handler = ""]] of Object.entries(functions)) {
    write(`config/shop/db/_func/${name}/function.yaml`, `${mode}\n${more}\n`);
    write(`config/shop/db/_func/${name}/handler.ts`, `${imported}${handler}\n\nexport default handler;\n`);
  }
  expect((await realmc("build", "config", "--bundle", "dist")).status).toBe(0);
  for (const name of externalPackages) {
    mkdirSync(dirname(join(folder, "dist/node_modules", name)), { recursive: true });
    symlinkSync(installedFolder(name), join(folder, "dist/node_modules", name));
  }
}, timeout);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Of a terminal, in the folder. */
function environment(): NodeJS.ProcessEnv {
  const { SVC_STORE: _, ...env } = process.env;
  return { ...env, PORT: "0" };
}

function run(words: readonly string[], input: string) {
  const options = { cwd: folder, encoding: "utf8", input, env: environment() } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  return { status, stdout, stderr };
}

/** By the bundle, which takes a tenth of the time. */
function invoke(name: string, input: unknown, ...words: readonly string[]) {
  const given = input === undefined ? [] : ["--input", "-"];
  return run(["dist/server.mjs", "invoke", name, ...given, ...words], JSON.stringify(input) ?? "");
}

const envelope = (code: string) => new RegExp(`^\\{"error":\\{"code":"${code}",.*\\}\\}\n$`);

test("prints the output alone on stdout, what the handler logs on stderr; what it wrote stays, and nothing else", {
  timeout,
}, () => {
  const before = readdirSync(folder);
  const { stdout } = invoke("shop/db/count", { name: "a" });
  expect(stdout).toBe('{"who":"key","count":1}\n');
  write("input.json", '{"name":"b"}');
  const words = ["shop/db/count", "--input", "input.json", "--store", "sqlite:./data"];
  expect(run([entry, "invoke", ...words], "")).toEqual({
    status: 0,
    stdout: '{"who":"key","count":2}\n',
    stderr: 'info: counted {"name":"b"}\n',
  });
  expect(readdirSync(folder).sort()).toEqual([...before, "data", "input.json"].sort());
});

test("the store keeps the configuration that the bundle was built of", { timeout }, async () => {
  expect(invoke("shop/db/hook", "hi").status).toBe(0);
  const location = { engine: "sqlite", folder: join(folder, "data") } as const;
  const stores = await openStores({ location, setting: "data", clock: systemClock, queryTime: 5_000 });
  try {
    const store = await stores.open("shop");
    await store.provision([configurationShape]);
    const output = await readOutput(join(folder, "generated"));
    expect(output).toBeDefined();
    expect(await recordedConfiguration(store)).toMatchObject({
      fingerprint: output?.manifest.fingerprint,
      files: output?.configuration.realms["shop"],
    });
  } finally {
    await stores.close();
  }
});

test("exits 1 with the error's envelope: the handler's own, that the input does not fit, that it failed and why", {
  timeout,
}, () => {
  expect(invoke("shop/db/count", { name: "" })).toEqual({
    ...{ status: 1, stdout: "" },
    stderr: expect.stringMatching(envelope("nameless")),
  });
  const none = invoke("shop/db/count", undefined);
  expect([none.status, none.stderr]).toEqual([1, expect.stringMatching(envelope("validation_error"))]);
  const { stderr } = run(["dist/server.mjs", "invoke", "shop/db/count", "--input", "-"], "{");
  expect(stderr).toMatch(envelope("invalid_json"));
  const failed = invoke("shop/db/count", { name: "bug" });
  const [reason = "", ...rest] = failed.stderr.split("\n");
  expect([failed.status, reason]).toEqual([1, "error: db/count: TypeError: a bug"]);
  expect(rest.join("\n")).toMatch(/shop\/db\/_func\/count\/handler\.ts:5:\d+/);
  expect(rest.slice(-2).join("\n")).toMatch(envelope("function_failed"));
});

test("a webhook has --input as its body, an event function its event; a schedule needs none", {
  timeout,
}, () => {
  expect(invoke("shop/db/hook", "hi")).toEqual({ status: 0, stdout: '"hi"\n', stderr: "" });
  expect(invoke("shop/db/hook", undefined)).toEqual({
    status: 1,
    stdout: "",
    stderr: "error: it answered 400\n",
  });
  const due = invoke("shop/db/tick", undefined);
  expect([due.status, due.stderr.split("\n")[0]]).toEqual([1, "error: db/tick: no_plan: There is no plan."]);
  const unknown = { kind: "trigger", collection: "things", event: "create", document: "none" };
  expect(invoke("shop/db/tick", unknown).stderr).toMatch(envelope("not_found"));
  expect(invoke("shop/db/tick", { ...unknown, event: "delete" }).stderr).toMatch(
    envelope("validation_error"),
  );
});

/** Serves the bundle; answers where, and what stops it. */
async function serve(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, ["dist/server.mjs"], {
    cwd: folder,
    env: environment(),
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  if (child.stdout !== null)
    for await (const line of createInterface({ input: child.stdout })) {
      const { msg, realms } = JSON.parse(line);
      if (msg === "ready") return { url: realms[0], stop };
    }
  throw new Error("it ended");
}

/** Ids of users, by name. */
const people = new Map<string, string>();

test("what it leaves to be done waits for a server; while that runs the folder is its own", {
  timeout,
}, async () => {
  expect(invoke("shop/db/later", {}).stdout).toMatch(/^\{"id":"\w{20}"\}\n$/);
  const { url, stop } = await serve();
  try {
    const names = async () => {
      const text = await (await fetch(`${url}/db/things?limit=100`)).text();
      const { items }: { items: readonly { readonly name: string }[] } = JSON.parse(text);
      return items.map(({ name }) => name).sort();
    };
    // Each of three others has set off the trigger.
    const wanted = ["a", "b", "later", "tock", "tock", "tock"];
    await until(async () => expect(await names()).toEqual(wanted));
    const { status, stdout, stderr } = invoke("shop/db/count", { name: "d" });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /data is in use by process \d+ on [^;]*; stop it, or have it run the function: POST \/v1\/shop\/db\/_func\/count\n$/,
    );
    expect(await names()).toEqual(wanted);
    const body = JSON.stringify({ email: "ada@example.com", password: "correct horse" });
    const headers = { "content-type": "application/json" };
    const signup = await fetch(`${url}/_auth/signup`, { method: "POST", headers, body });
    const { user }: { user: { readonly id: string } } = JSON.parse(await signup.text());
    people.set("ada", user.id);
  } finally {
    await stop();
  }
});

test("--as is a user who is there, under the rule of the function", { timeout }, () => {
  const as = (id: string, name: string) => invoke("shop/db/count", { name }, "--as", id);
  const ada = people.get("ada") ?? "";
  expect(as(ada, "d")).toMatchObject({ status: 0, stdout: '{"who":"user","count":7}\n' });
  const refused = as(ada, "secret");
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(envelope("forbidden"))]);
  expect(invoke("shop/db/count", { name: "secret" }).status).toBe(0);
  expect(as("nobody", "e")).toEqual({
    ...{ status: 2, stdout: "" },
    stderr: '--as: realm shop has no active user "nobody"\n',
  });
});

test("wrong command lines exit 2, before anything is opened", { timeout }, async () => {
  const typo = "there is no function 'shop/db/cont' (did you mean 'shop/db/count'?)";
  for (const [words, said] of [
    [["shop/db/cont"], typo],
    [["shp/db/count"], "there is no realm 'shp' in config (did you mean 'shop'?)"],
    [["count"], "<realm>/<database>/<function>"],
    [["shop/db/tick", "--as", "ada"], "--as: shop/db/tick is of mode event, which no user calls"],
    [["shop/db/count", "--input", "none.json"], "--input: there is no file none.json"],
    [["shop/db/count", "--config", "none"], "there is no folder none"],
  ] as const) {
    const { status, stdout, stderr } = await realmc("invoke", ...words);
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(said)]);
  }
  expect(invoke("shop/db/cont", {})).toMatchObject({ status: 2, stderr: expect.stringContaining(typo) });
  const mistaken = invoke("shop/db/hook", undefined, "--as", "ada");
  expect([mistaken.status, mistaken.stderr]).toEqual([2, expect.stringContaining("is called by no user")]);
});

test("mistakes of the configuration are told in place of a run", { timeout }, async () => {
  write(
    "config/shop/db/_func/hook/handler.ts",
    `${imported}const handler: Handler = () => 1;\nexport default handler;\n`,
  );
  const { status, stdout, stderr } = await realmc("invoke", "shop/db/count");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/shop\/db\/_func\/hook\/handler\.ts:3:\d+.*\n1 error/s);
});
