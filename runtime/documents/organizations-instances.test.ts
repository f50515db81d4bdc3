import { afterAll, beforeAll, expect, test } from "vitest";
import type { Organizations } from "../organizations/testing/realm.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { notes, serveTenants, startTenants, type Tenants, tickets } from "./testing/organizations.ts";

/** What was read along with a session is kept as long as it stands: whatever changes it is seen at the other instance. */
describeMongo("What changes at one instance counts at the very next request to another", () => {
  const location = testLocation();
  let here: Tenants;
  let there: Organizations;
  let path: string;
  beforeAll(async () => {
    here = await startTenants([tickets, notes], { settings: { store: location } });
    there = await serveTenants([tickets, notes], { settings: { store: location } });
    path = `tickets/${await here.made(`tickets?org=${here.acme.id}`)}`;
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await dropTestDatabases(location);
  });

  const read = async (token: string) => (await there.send("GET", `/main/${path}`, { token })).status;
  let salary = 0;
  /** Only owners change it. */
  const write = async (token: string) => {
    const headers = { "content-type": "application/merge-patch+json" };
    salary += 1;
    return (await there.send("PATCH", `/main/${path}`, { token, headers, body: { salary } })).status;
  };

  test("a membership that ends, and one that begins again with other roles", async () => {
    const { acme, bob, ann } = here;
    const { token } = bob;
    for (let round = 0; round < 3; round += 1) {
      expect([await read(token), await write(token), await read(token)]).toEqual([200, 403, 200]);
      await here.join(acme, bob, { roles: ["owner"] });
      expect([await write(token), await read(token)]).toEqual([200, 200]);
      const removed = await here.send("DELETE", `../_orgs/${acme.id}/members/${bob.id}`, {
        token: ann.token,
      });
      expect([removed.status, await read(token), await write(token)]).toEqual([204, 404, 404]);
      // The same version of a record of the same id.
      await here.join(acme, bob);
    }
  });

  test("an organization that is deleted, and back; one that requires a second factor, and no longer", async () => {
    const { acme, bob, robot } = here;
    for (let round = 0; round < 2; round += 1) {
      expect([await read(bob.token), await read(robot)]).toEqual([200, 200]);
      await here.withhold(acme);
      expect([await read(bob.token), await read(robot)]).toEqual([404, 404]);
      await here.release(acme);
      expect([await read(bob.token), await read(robot)]).toEqual([200, 200]);
      await here.changeOrg(acme, (org) => ({ ...org, require_mfa: true }));
      expect([await read(bob.token), await read(robot)]).toEqual([404, 200]);
      await here.changeOrg(acme, (org) => ({ ...org, require_mfa: false }));
    }
  });

  test("a session that ends, an account that is disabled, a key that is revoked, a role that is taken", async () => {
    const { acme, admin } = here;
    const { dan } = await here.people("dan");
    await here.join(acme, dan);
    const other = await here.login(dan.email);
    expect([await read(dan.token), await read(other.token)]).toEqual([200, 200]);
    const out = await here.send("POST", "../_auth/logout", { token: other.token });
    expect([out.status, await read(other.token), await read(dan.token)]).toEqual([204, 401, 200]);
    const disable = (disabled: boolean) =>
      here.send("PATCH", `../_admin/users/${dan.id}`, { token: admin, body: { disabled } });
    expect([(await disable(true)).status, await read(dan.token)]).toEqual([200, 401]);
    const key = await here.key({ name: "passing" });
    expect(await read(key)).toBe(200);
    const { body } = await here.send("GET", "../_admin/keys?limit=100", { token: admin });
    const listed: readonly { readonly id: string; readonly name: string }[] = JSON.parse(
      JSON.stringify(body["items"]),
    );
    const id = listed.find(({ name }) => name === "passing")?.id;
    const revoked = await here.send("DELETE", `../_admin/keys/${id}`, { token: admin });
    expect([revoked.status, await read(key)]).toEqual([204, 401]);
  });
});
