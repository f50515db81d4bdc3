import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { collections, sessionFields, tokenFields } from "../collections.ts";
import { type Accounts, minute, type Person, password, startAccounts } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts();
  admin = await server.key({ name: "root", admin: true });
});
afterAll(() => server.stop());

const remove = (id: string, token: string, proof?: string) =>
  server.send("DELETE", `/_admin/users/${id}`, {
    token,
    ...(proof !== undefined && { headers: { "x-svc-reauth": proof } }),
  });

const status = async (id: string) =>
  (await server.send("GET", `/_admin/users/${id}`, { token: admin })).status;

describe("Administrator routes: DELETE /_admin/users/{id}", () => {
  it("204: sessions and tokens are gone, the address is free", async () => {
    const ada = await server.signup("ada@example.com");
    const other = await server.login("ada@example.com");
    await server.reauth(ada);
    const { body, ...answer } = await remove(ada.id, admin);
    expect({ ...answer, body }).toMatchObject({ status: 204, body: {} });
    for (const { token } of [ada, other]) {
      expect((await server.send("GET", "/whoami", { token })).status).toBe(401);
    }
    const left = async (collection: string, filter: ReturnType<typeof eq>) =>
      server.store("shop").collection(collection).count(filter, "all");
    expect(await left(collections.sessions, eq(sessionFields.user, ada.id))).toBe(0);
    expect(await left(collections.tokens, eq(tokenFields.user, ada.id))).toBe(0);
    expect(await status(ada.id)).toBe(404);
    expect((await server.signup("ada@example.com")).id).not.toBe(ada.id);
  });

  it("404 for one that is gone; of two at the same time one deletes", async () => {
    const { id } = await server.signup("bea@example.com");
    const answers = await Promise.all([remove(id, admin), remove(id, admin)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404]);
    expect(await remove(id, admin)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(await auditOf(server, `user:${id}`)).toMatchObject([
      { action: "user.delete", actor: "key:root", details: {} },
    ]);
  });

  it("no login that runs beside it leaves a session behind", async () => {
    const { id } = await server.signup("cleo@example.com");
    const body = { email: "cleo@example.com", password };
    const logins = Array.from({ length: 4 }, () => server.send("POST", "/_auth/login", { body }));
    const deleting = remove(id, admin);
    const answers = await Promise.all(logins);
    expect((await deleting).status).toBe(204);
    for (const { body: answer } of answers) {
      const { token } = Object(answer["session"]);
      if (typeof token !== "string") continue;
      expect((await server.send("GET", "/whoami", { token })).status).toBe(401);
    }
  });
});

describe("Authentication 8: an administrator's session needs a fresh proof to delete a user", () => {
  let boss: Person;
  let id: string;
  beforeAll(async () => {
    boss = await server.person("boss@example.com", ["boss"]);
    id = (await server.signup("dan@example.com")).id;
  });

  it("401 reauth_required without one, or with one that is not theirs", async () => {
    const another = await server.person("other-boss@example.com", ["boss"]);
    const proofs = [undefined, "", "svp_x", await server.reauth(another), boss.token];
    for (const proof of proofs) {
      expect(await remove(id, boss.token, proof), proof).toMatchObject({
        status: 401,
        body: { error: { code: "reauth_required" } },
      });
    }
    expect(await status(id)).toBe(200);
  });

  it("401 reauth_required with one that has expired", async () => {
    const proof = await server.reauth(boss);
    server.clock.advance(5 * minute);
    expect((await remove(id, boss.token, proof)).status).toBe(401);
    expect(await status(id)).toBe(200);
  });

  it("204 with a fresh one, named in the audit record by the user", async () => {
    expect((await remove(id, boss.token, await server.reauth(boss))).status).toBe(204);
    expect(await auditOf(server, `user:${id}`)).toMatchObject([
      { action: "user.delete", actor: `user:${boss.id}` },
    ]);
  });
});
