/** `realmc explain --url`: what it says of users and documents of a server is what that server answers them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import { configurationFingerprint } from "../../compiler/output/plan.ts";
import { analyse } from "../../compiler/pipeline.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { compileRealm } from "../compiled.ts";
import { insertOrganization, insertSession, insertUser } from "../people.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-explain-url-"));
const config = join(folder, "config");
let server: Started<HeldClock>;
let key: string;
const sessions = new Map<string, string>();
const documents = new Map<string, string>();

beforeAll(async () => {
  write(
    "desk/realm.yaml",
    `auth: enabled
roles: { boss: {} }
organizations:
  roles: { clerk: { manage: [org] }, member: {} }
  creator_roles: [clerk]
  default_roles: [member]
  team_roles: { lead: {} }
app_config: { open: true }
`,
  );
  const properties = {
    title: { type: "string" },
    state: { enum: ["open", "done"] },
    cost: { type: "integer" },
  };
  write("desk/db/notes/schema.json", JSON.stringify({ type: "object", required: ["title"], properties }));
  write(
    "desk/db/notes/collection.yaml",
    `rules:
  read: hasRole('boss') || inOrg(document._meta.org)
  create: appConfig.open == true && inOrg(data._meta.org)
  update: >-
    hasOrgRole(document._meta.org, 'clerk')
    || (document._meta.owner == user.id && data.state != 'done')
  delete: document._meta.owner == user.id
  restore: hasOrgRole(document._meta.org, 'clerk')
  purge: hasRole('boss')
fields:
  cost: { read: "hasOrgRole(document._meta.org, 'clerk')", write: "hasOrgRole(document._meta.org, 'clerk')" }
soft_delete: {}
organization: required
`,
  );
  const { realms } = await analyse(config, { handlers: "read" });
  const fingerprint = configurationFingerprint(realms.map(({ realm }) => realm));
  server = await startRealm(await compileRealm(config, "desk"), { fingerprint });
  const store = server.store("desk");
  key = await createKey(store, server.clock, { name: "root", admin: true });
  for (const id of ["clerk", "member", "stranger", "boss"]) {
    await insertUser(store, server.clock, id, { roles: id === "boss" ? ["boss"] : [] });
    sessions.set(id, await insertSession(store, server.clock, id, `session-of-${id}`));
  }
  await insertOrganization(store, server.clock, "acme", { clerk: { roles: ["clerk"] }, member: {} });
  for (const [name, by] of [
    ["clerks", "clerk"],
    ["members", "member"],
    ["deleted", "member"],
  ] as const) {
    const answer = await ask(by, "POST", "?org=acme", { title: name, state: "open" });
    expect(answer.status).toBe(201);
    const { id } = JSON.parse(await answer.text());
    documents.set(name, String(id));
  }
  expect((await ask("member", "DELETE", `/${documents.get("deleted")}`)).status).toBe(204);
}, 120_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(config, path)), { recursive: true });
  writeFileSync(join(config, path), text);
}

function ask(by: string, method: string, path: string, body?: object): Promise<Response> {
  const token = sessions.get(by);
  return fetch(`${server.url}/v1/desk/db/notes${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function explain(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = { REALMC_KEY: key },
) {
  return commandsIn(folder, environment)("explain", "desk/db/notes", "--url", server.url, ...words);
}

async function decided(...words: readonly string[]) {
  const { status, stdout, stderr } = await explain([...words, "--format", "json"]);
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("explain --url", () => {
  test("says the status that each user is answered, for each document and operation", async () => {
    const compared: unknown[] = [];
    let met = 0;
    for (const by of ["anonymous", ...sessions.keys()]) {
      for (const [name, id] of documents) {
        const patches = [{ title: "another" }, { state: "done" }, { cost: 3 }, { state: "lost" }];
        const requests = [
          {
            words: ["--op", "read"],
            method: "GET",
            path: `/${id}${name === "deleted" ? "?deleted=include" : ""}`,
          },
          ...patches.map((patch) => ({
            words: ["--op", "update", "--data", JSON.stringify(patch)],
            method: "PATCH",
            path: `/${id}`,
            body: patch,
          })),
        ];
        for (const { words, method, path, ...rest } of requests) {
          met += 1;
          // A third of them has every caller, every document and every request.
          if (!isFull && met % 3 !== 0) continue;
          const said = await decided("--as", by, "--doc", id, ...words);
          const answer = await ask(by, method, path, "body" in rest ? rest.body : undefined);
          compared.push([by, name, words, said.status === answer.status, said.status, answer.status]);
          await answer.arrayBuffer();
        }
      }
    }
    expect(compared.filter((each) => Array.isArray(each) && each[3] !== true)).toEqual([]);
    expect(compared).toHaveLength(isFull ? 75 : 25);
  }, 120_000);

  test("of a user what they are in organizations, and which fields they do not see", async () => {
    const doc = documents.get("members") ?? "";
    expect(await decided("--as", "member", "--doc", doc, "--op", "read")).toMatchObject({
      decision: "allow",
      hidden: ["cost"],
      hiding: [
        { path: "cost", deciding: [{ text: "hasOrgRole(document._meta.org, 'clerk')", value: false }] },
      ],
    });
    expect(await decided("--as", "member", "--op", "list")).toMatchObject({
      filter: "document._meta.org is one of ['acme']",
    });
  });

  test.each([
    [["--as", "nobody", "--op", "list"], 2, "has not the user 'nobody'"],
    [["--as", "member", "--doc", "none", "--op", "read"], 2, "has not the document 'none'"],
    [["--as", "member", "--op", "list", "--tests", "x.yaml"], 2, "give one of them"],
  ])("%j", async (words, code, message) => {
    const { status, stderr } = await explain(words);
    expect([status, stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test("without an administrator's key, by another configuration, and where no server is", async () => {
    const list = ["--as", "member", "--op", "list"];
    expect(await explain(list, {})).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("REALMC_KEY is not set"),
    });
    expect(await explain(list, { REALMC_KEY: "svk_none" })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("does not accept the key"),
    });
    const elsewhere = commandsIn(folder, { REALMC_KEY: key });
    const words = ["explain", "desk/db/notes", ...list, "--url"];
    expect(await elsewhere(...words, "http://127.0.0.1:9")).toMatchObject({ status: 1 });
    expect(await elsewhere(...words, "ftp://x")).toMatchObject({ status: 2 });
    write("other/realm.yaml", "auth: disabled\n");
    write("other/db/things/schema.json", '{ "type": "object" }');
    const { status, stderr } = await explain(list);
    expect([status, stderr]).toEqual([0, expect.stringContaining("runs another configuration than config")]);
    rmSync(join(config, "other"), { recursive: true });
  });
});
