/** `realmc dev` says of each refused request which clause of which rule refused it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DevRun, write } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-dev-explain-"));
const settings = "config/desk/db/things/collection.yaml";
let dev: DevRun;
let url: string;
let session: string;

const rules = `rules:
  read: document.public || document._meta.owner == user.id
  create: user != null
  update: >-
    document._meta.owner == user.id
    && document.state != 'done'
  delete: hasRole('boss')
fields:
  prize: { write: hasRole('boss') }
`;

beforeAll(async () => {
  write(
    folder,
    "config/desk/realm.yaml",
    `auth: enabled
signup: open
roles: { boss: {} }
organizations:
  roles: { owner: { manage: [org] } }
  creator_roles: [owner]
  create: user.email_verified && hasRole('boss')
`,
  );
  const properties = { public: { type: "boolean" }, state: { type: "string" }, prize: { type: "integer" } };
  write(folder, "config/desk/db/things/schema.json", JSON.stringify({ type: "object", properties }));
  write(folder, settings, rules);
  dev = new DevRun(folder, [], { SVC_EXPLAIN: "on" });
  url = `${await dev.url()}/v1/desk`;
  session = await signedUp("ada");
}, 120_000);
afterAll(async () => {
  await dev.stop();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

async function asked(method: string, path: string, body?: object, by = session) {
  return fetch(`${url}/${path}`, {
    method,
    headers: {
      ...(body !== undefined && {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      }),
      ...(by !== "nobody" && { authorization: `Bearer ${by}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function signedUp(name: string): Promise<string> {
  const body = { email: `${name}@example.com`, password: `${name} has a long password` };
  const answer = await fetch(`${url}/_auth/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(201);
  return String(JSON.parse(await answer.text()).session.token);
}

async function made(document: object, by = session): Promise<string> {
  const answer = await asked("POST", "db/things", document, by);
  expect(answer.status).toBe(201);
  return String(JSON.parse(await answer.text()).id);
}

test("Explained refusals: a line and a header name the rule's deciding clause and its place", async () => {
  const id = await made({ state: "done" });
  const answer = await asked("PATCH", `db/things/${id}`, { state: "open" });
  const clause = "rules.update denies: document.state != 'done' (desk/db/things/collection.yaml:6:8)";
  expect([answer.status, answer.headers.get("x-svc-explain")]).toEqual([403, clause]);
  const [line] = await dev.until(/403 PATCH .*\n/);
  expect(line).toBe(
    `403 PATCH /v1/desk/db/things/${id}: ${clause} [${answer.headers.get("x-request-id")}]\n`,
  );
}, 60_000);

test("Explained refusals: also what a rule hides, what nobody may, and fields", async () => {
  const id = await made({ state: "secret of ada" });
  const eve = await signedUp("eve");
  const told = async (answer: Response) => [answer.status, answer.headers.get("x-svc-explain")];
  expect(await told(await asked("GET", `db/things/${id}`, undefined, eve))).toEqual([
    404,
    "rules.read denies: document.public (desk/db/things/collection.yaml:2:9); document._meta.owner == user.id (desk/db/things/collection.yaml:2:28)",
  ]);
  expect(await told(await asked("DELETE", `db/things/${id}`))).toEqual([
    403,
    "rules.delete denies: hasRole('boss') (desk/db/things/collection.yaml:7:11)",
  ]);
  expect(await told(await asked("POST", "db/things", {}, "nobody"))).toEqual([
    401,
    expect.stringContaining("rules.create denies: user != null"),
  ]);
  expect(await told(await asked("POST", "db/things", { prize: 1 }))).toEqual([
    403,
    "fields.prize.write denies: hasRole('boss') (desk/db/things/collection.yaml:9:19)",
  ]);
  const batch = { operations: [{ op: "delete", collection: "things", id }] };
  expect(await told(await asked("POST", "db/_batch", batch))).toEqual([
    403,
    "rules.delete denies: hasRole('boss') (desk/db/things/collection.yaml:7:11)",
  ]);
  // What is not there is no refusal.
  expect(await told(await asked("GET", "db/things/nothing", undefined, eve))).toEqual([404, null]);
  expect(await told(await asked("GET", `db/things/${id}`))).toEqual([200, null]);
}, 60_000);

test("Explained refusals: who may not create an organization is refused by a rule as well", async () => {
  const answer = await asked("POST", "_orgs", { name: "Acme" });
  const clause = "organizations.create denies: user.email_verified (desk/realm.yaml:7:11)";
  expect([answer.status, answer.headers.get("x-svc-explain")]).toEqual([403, clause]);
  const [line] = await dev.until(/403 POST \/v1\/desk\/_orgs.*\n/);
  expect(line).toBe(`403 POST /v1/desk/_orgs: ${clause} [${answer.headers.get("x-request-id")}]\n`);
}, 60_000);

test("Explained refusals: where rules only move in their files, the places move, too", async () => {
  write(folder, settings, `# A comment.\n${rules}`);
  await dev.until(/nothing else comes of it|runs the same code/);
  await expect
    .poll(async () => (await asked("DELETE", `db/things/${await made({})}`)).headers.get("x-svc-explain"), {
      timeout: 20_000,
    })
    .toBe("rules.delete denies: hasRole('boss') (desk/db/things/collection.yaml:8:11)");
}, 60_000);
