import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditFields, collections } from "../auth/collections.ts";
import { allKeys } from "../auth/command-keys.ts";
import { type AuditRecord, readAudit } from "../auth/records.ts";
import { accountsModule, text } from "../auth/testing/accounts.ts";
import { eq } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import { memberId } from "../organizations/records.ts";
import { organizationSettings, organizationsIn } from "../organizations/testing/realm.ts";
import type { RealmModule } from "../realm/exchange.ts";
import { type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { run } from "./main.ts";
import { type Started, startRealm } from "./testing/servers.ts";

let place: ProcessPlace;
let club: RealmModule;
let server: Started;
let ann: string;
let org: Awaited<ReturnType<ReturnType<typeof organizationsIn>["createOrg"]>>;
beforeAll(async () => {
  place = processPlace();
  club = accountsModule(place.realm, { organizations: organizationSettings });
  server = await startRealm(club, { settings: { store: place.location }, clock: { now: Date.now } });
  const body = JSON.stringify({ email: "ann@example.com", password: "correct horse" });
  const headers = { "content-type": "application/json" };
  const url = `${server.url}/v1/${place.realm}/_auth/signup`;
  ann = text(await json(await fetch(url, { method: "POST", headers, body })), "user", "id");
  org = await organizationsIn({ store: server.store(place.realm), clock: server.clock }).createOrg({
    id: ann,
  });
});
afterAll(async () => {
  await server.stop();
  await place.discard();
});

async function act(action: string, ...words: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(
    { fingerprint: "f", realms: [club] },
    ["key", action, "--realm", place.realm, ...words],
    {
      environment: { SVC_STORE: place.setting },
      out: (line) => out.push(line),
      err: (line) => err.push(line),
    },
  );
  // The server is in this process: what others commit it sees from its next turn on.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, out, err: err.join("\n") };
}

async function json(answer: Response): Promise<JsonObject> {
  return JSON.parse(await answer.text());
}

/** Whom the running server knows by a key, or what it answers in its place. */
async function whoami(key: string | undefined, behalf?: string): Promise<JsonObject | number> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(behalf !== undefined && { "x-svc-on-behalf-of": behalf }),
  };
  const answer = await fetch(`${server.url}/v1/${place.realm}/whoami`, { headers });
  return answer.ok ? json(answer) : answer.status;
}

async function named(name: string): Promise<JsonObject | undefined> {
  for await (const key of allKeys(server.store(place.realm))) if (key["name"] === name) return key;
  return undefined;
}

const member = (key: JsonObject | undefined) =>
  server
    .store(place.realm)
    .collection("_svc.members")
    .get(memberId(org.id, String(key?.["id"])), "live");

async function audited(action: string): Promise<readonly AuditRecord[]> {
  const query = { filter: eq(auditFields.action, action), visibility: "live", limit: 10, skip: 0 } as const;
  const found = await server.store(place.realm).collection(collections.audit).find(query);
  return found.map((document) => readAudit(document).record);
}

describe("key create", () => {
  it("--user makes a key that always acts as that user, beside the running server", async () => {
    const { code, out, err } = await act("create", "--name", "anns", "--user", ann);
    expect([code, err]).toEqual([0, expect.not.stringContaining("warning")]);
    expect(await whoami(out[0])).toMatchObject({ kind: "user", actor: `user:${ann}` });
    expect(await named("anns")).toMatchObject({ kind: "operator", user: ann, org: null });
  });

  it("--org makes a service member with roles and teams; key revoke ends it with the key", async () => {
    const words = ["--name", "service", "--org", org.id, "--roles", "clerk,member"];
    const { code, out } = await act("create", ...words);
    expect(code).toBe(0);
    const key = await named("service");
    expect(key).toMatchObject({ kind: "operator", user: null, org: org.id });
    expect(await member(key)).toBeDefined();
    expect(await whoami(out[0])).toMatchObject({ kind: "user", user: { id: key?.["id"] } });
    expect(await act("create", "--name", "service", "--replace", "--user", ann)).toMatchObject({ code: 1 });
    expect(await act("revoke", "--id", String(key?.["id"]))).toMatchObject({ code: 0 });
    expect(await member(key)).toBeUndefined();
    expect(await whoami(out[0])).toBe(401);
  });

  it.each([
    ["a user that there is not", ["--user", "00000000000000000000"], "user must be a user of this realm"],
    ["an organization that there is not", ["--org", "00000000000000000000"], "org must be"],
    ["roles without an organization", ["--roles", "clerk"], "roles goes with org alone"],
    ["administration of a pin", ["--user", "x", "--admin"], "admin goes with neither"],
  ])("refuses %s, and writes nothing", async (_, words, said) => {
    const { code, out, err } = await act("create", "--name", "refused", ...words);
    expect([code, out, err]).toEqual([1, [], expect.stringContaining(said)]);
    expect(await named("refused")).toBeUndefined();
    expect((await audited("key.create")).some(({ target }) => target === "key:refused")).toBe(false);
  });

  it("--on-behalf-of still lets the key act by itself, --on-behalf-of-required does not", async () => {
    const free = (await act("create", "--name", "free", "--on-behalf-of", "--scopes", "{}")).out[0];
    const bound = (await act("create", "--name", "bound", "--on-behalf-of-required", "--scopes", "{}"))
      .out[0];
    expect([await whoami(free), await whoami(bound)]).toEqual([
      expect.objectContaining({ kind: "key" }),
      403,
    ]);
    expect(await whoami(bound, ann)).toMatchObject({ kind: "user", actor: `user:${ann}` });
    expect(await named("bound")).toMatchObject({ on_behalf_of: "required" });
  });

  it("warns on stderr of a key with neither pin nor scopes, and of no other", async () => {
    const { out, err } = await act("create", "--name", "dangerous");
    expect(out).toHaveLength(1);
    expect(err).toMatch(/^warning: This key reads and writes all documents.*Give it scopes, or pin it/);
    expect((await act("create", "--name", "tame", "--scopes", '{"read":"*"}')).err).not.toContain("warning");
  });
});

describe("key rotate", () => {
  it("prints a new key alone; the former one lives for the overlap", async () => {
    const former = (await act("create", "--name", "turning", "--scopes", "{}")).out[0];
    const before = await named("turning");
    const { code, out } = await act("rotate", "--name", "turning", "--overlap", "1h");
    expect([code, out.length]).toEqual([0, 1]);
    for (const key of [former, out[0]]) expect(await whoami(key)).toMatchObject({ actor: "key:turning" });
    expect({ ...(await named("turning")), last_used_at: null, last_used_address: null }).toEqual({
      ...before,
      start: out[0]?.slice(0, 8),
    });
    const next = (await act("rotate", "--name", "turning", "--overlap", "0s")).out[0];
    expect([await whoami(out[0]), await whoami(next)]).toEqual([401, expect.anything()]);
    expect(await audited("key.rotate")).toMatchObject([
      { actor: "command-line", target: "key:turning" },
      { actor: "command-line", target: "key:turning" },
    ]);
  });

  it("says that there is no such key: 1", async () => {
    const { code, err } = await act("rotate", "--name", "nobody");
    expect([code, err]).toEqual([1, `realm ${place.realm} has no key named "nobody"`]);
  });
});
