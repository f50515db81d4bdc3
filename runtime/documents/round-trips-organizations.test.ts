import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { notes, pages, startTenants, type Tenants, tickets } from "./testing/organizations.ts";
import { untilQuiet } from "./testing/quiet.ts";

/** Of organizations, seen by everybody. */
const open = { ...notes, name: "open", references: {} };
/** Without organizations. */
const plain = { ...pages, name: "plain", references: {} };

describeMongo("What a request asks of organizations, where the store is shared", () => {
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
    await untilQuiet(proxy, `${location.prefix}shop`);
  });
  afterAll(async () => {
    await tenants.stop();
    await proxy.close();
    await dropTestDatabases(location);
  });

  /** What a request sends: the command, and where its first, or only, query looks. */
  async function sent(who: Person | string, method: string, path: string, body?: object): Promise<string> {
    proxy.commands.length = 0;
    const answer = await tenants.as(who)(method, path, body && { ...body });
    expect(answer.status).toBeLessThan(300);
    return proxy.commands.map(({ name, body: command }) => `${name} ${String(command[name])}`).join(", ");
  }
  /** Those of an organization, its members and what is withheld, beside the caller's. */
  async function asked(...request: Parameters<typeof sent>): Promise<string> {
    const commands = (await sent(...request)).split(", ");
    return commands.filter((command) => / _svc\.(?:orgs|members|org_marks)$/.test(command)).join(", ");
  }
  const session = "aggregate _svc.sessions";
  const key = "aggregate _svc.keys";

  test("a member's GET of an organization's document is two commands, one after the other", async () => {
    await sent(tenants.ann, "GET", `tickets/${ticket}`);
    for (let round = 0; round < 3; round += 1)
      expect(await sent(tenants.ann, "GET", `tickets/${ticket}`)).toBe(`${session}, find main.tickets`);
    expect(await sent(tenants.ann, "GET", "tickets")).toBe(`${session}, find main.tickets`);
    expect(await sent(tenants.ann, "GET", `open/${openly}`)).toBe(`${session}, find main.open`);
  });

  test("a member's writes are one more than those of others: who they are in which organizations", async () => {
    const path = `tickets/${ticket}`;
    const changing = `${session}, find main.tickets, update main.tickets`;
    await sent(tenants.ann, "GET", path);
    expect(await sent(tenants.ann, "PATCH", path, { title: "b" })).toBe(changing);
    expect(await sent(tenants.ann, "PUT", path, { title: "c" })).toBe(changing);
    expect(await sent(tenants.ann, "POST", `open?org=${tenants.acme.id}`, { title: "b" })).toBe(
      `${session}, insert main.open`,
    );
  });

  test("after a change in an organization of theirs two more, once", async () => {
    const get = () => sent(tenants.ann, "GET", `tickets/${ticket}`);
    const anew = `${session}, find _svc.members, find _svc.orgs, find main.tickets`;
    await get();
    await tenants.changeOrg(tenants.acme, (org) => ({ ...org, name: "Acme again" }));
    expect([await get(), await get()]).toEqual([anew, `${session}, find main.tickets`]);
  });

  test("an API key's is two, too: the key with what is withheld, and the document; an administrator's asks for nothing", async () => {
    expect(await sent(tenants.robot, "GET", `tickets/${ticket}`)).toBe(`${key}, find main.tickets`);
    expect(await sent(tenants.robot, "GET", "tickets")).toBe(`${key}, find main.tickets`);
    expect(await asked(tenants.admin, "GET", "../_admin/data/main/tickets")).toBe("");
  });

  test("nothing in a collection without organizations, whoever comes", async () => {
    expect(await asked(tenants.ann, "GET", "plain")).toBe("");
    expect(await asked(tenants.ann, "POST", "plain", { title: "a" })).toBe("");
    expect(await asked(tenants.robot, "GET", "plain")).toBe("");
  });

  test("on reads that expand also what the collections ask that references lead to", async () => {
    const memberships = "find _svc.members, find _svc.orgs";
    const mark = "find _svc.org_marks";
    const further = async (...request: Parameters<typeof sent>) =>
      (await asked(...request)).split(", ").sort().join(", ");
    expect(await further(tenants.ann, "GET", "pages")).toBe("");
    expect(await further(tenants.ann, "GET", "pages?expand=ticket")).toBe(
      "find _svc.members, find _svc.org_marks, find _svc.orgs",
    );
    expect(await further(tenants.ann, "GET", `notes?expand=ticket`)).toBe(memberships);
    expect(await further(tenants.robot, "GET", "pages?expand=ticket")).toBe(mark);
    expect(await further(tenants.ann, "POST", "pages", { title: "a" })).toBe("");
  });
});
