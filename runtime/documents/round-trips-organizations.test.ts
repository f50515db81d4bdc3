import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { notes, pages, startTenants, type Tenants, tickets } from "./testing/organizations.ts";

/** Of organizations, seen by everybody. */
const open = { ...notes, name: "open", references: {} };
/** Without organizations. */
const plain = { ...pages, name: "plain", references: {} };

describeMongo("What a request asks of organizations, where nothing can be kept", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  let tenants: Tenants;
  let openly: string;
  let ticket: string;
  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
    const settings = { store: { ...location, uri: proxy.uri } };
    tenants = await startTenants([tickets, notes, pages, open, plain], { settings });
    openly = await tenants.made(`open?org=${tenants.acme.id}`);
    ticket = await tenants.made(`tickets?org=${tenants.acme.id}`);
    // Which organizations are deleted is read once; then the mark tells whether it still is so.
    await tenants.as(tenants.robot)("GET", "tickets");
  });
  afterAll(async () => {
    await tenants.stop();
    await proxy.close();
    await dropTestDatabases(location);
  });

  /** The queries about organizations that a request sends, in any order. */
  async function asked(who: Person | string, method: string, path: string, body?: object): Promise<string> {
    proxy.commands.length = 0;
    const answer = await tenants.as(who)(method, path, body && { ...body });
    expect(answer.status).toBeLessThan(300);
    return proxy.commands
      .map(({ name, body: command }) => `${name} ${String(command[name])}`)
      .filter((command) => / _svc\.(?:orgs|members|org_marks)$/.test(command))
      .sort()
      .join(", ");
  }
  const mark = "find _svc.org_marks";
  const memberships = `find _svc.members, ${mark}, find _svc.orgs`;

  test("nothing in a collection without organizations, whoever comes", async () => {
    expect(await asked(tenants.ann, "GET", "plain")).toBe("");
    expect(await asked(tenants.ann, "POST", "plain", { title: "a" })).toBe("");
    expect(await asked(tenants.robot, "GET", "plain")).toBe("");
  });

  test("whether any is deleted, in a collection with organizations", async () => {
    expect(await asked(tenants.ann, "GET", `open/${openly}`)).toBe(mark);
    expect(await asked(tenants.robot, "GET", "tickets")).toBe(mark);
    expect(await asked(tenants.admin, "GET", "../_admin/data/main/tickets")).toBe("");
  });

  test("a user's memberships, where rules ask for them, and on every create", async () => {
    expect(await asked(tenants.ann, "GET", "tickets")).toBe(memberships);
    expect(await asked(tenants.ann, "PATCH", `tickets/${ticket}`, { title: "b" })).toBe(memberships);
    expect(await asked(tenants.ann, "POST", `open?org=${tenants.acme.id}`, { title: "b" })).toBe(memberships);
    // One who is in none has none to look up.
    expect(await asked(tenants.eve, "GET", "tickets")).toBe(`find _svc.members, ${mark}`);
  });

  test("on reads that expand also what the collections ask that references lead to", async () => {
    expect(await asked(tenants.ann, "GET", "pages")).toBe("");
    expect(await asked(tenants.ann, "GET", "pages?expand=ticket")).toBe(memberships);
    expect(await asked(tenants.ann, "GET", `notes?expand=ticket`)).toBe(memberships);
    expect(await asked(tenants.robot, "GET", "pages?expand=ticket")).toBe(mark);
    expect(await asked(tenants.ann, "POST", "pages", { title: "a" })).toBe("");
  });
});
