/** Files go with their documents, from one organization to another and at their end. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usedOf } from "../documents/files/usage.ts";
import { code, collection, fields, text } from "../documents/testing/shop.ts";
import { deletionFields, organizationFields, ownershipFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import { organizationAdministrationRoutes } from "../organizations/administration/routes.ts";
import { organizationRoutes } from "../organizations/routes.ts";
import { organizationSettings, organizationsIn } from "../organizations/testing/realm.ts";
import { allowed } from "../rules/index.ts";
import { untilHolds } from "../testing/until.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const tickets = collection("tickets", {
  fields: { ...fields, ...ownershipFields, ...deletionFields, ...organizationFields },
  files: [fileField("scan")],
  organization: { required: false, onDelete: "delete" },
  softDelete: {},
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed },
});

let vault: Vault;
let admin: string;
let founder: string;
let made: ReturnType<typeof organizationsIn>;
beforeAll(async () => {
  vault = await startVault(
    "enabled",
    [tickets],
    { quotaPerOrg: 1_000 },
    {
      accounts: { organizations: organizationSettings },
      routes: [organizationRoutes("shop"), organizationAdministrationRoutes("shop")],
    },
  );
  admin = await vault.key({ name: "admin", admin: true });
  made = organizationsIn({ store: vault.store("shop"), clock: vault.clock });
  founder = (await vault.signUp("ann@example.com")).id;
});
afterAll(() => vault.stop());

const organization = async (): Promise<string> => (await made.createOrg({ id: founder })).id;

const data = (method: string, path: string, body?: JsonObject) =>
  vault.send(method, `../_admin/data/main/tickets${path}`, {
    token: admin,
    ...(body !== undefined && { body }),
  });

async function ticket(size: number, org?: string): Promise<{ id: string; path: string }> {
  const { body } = await data("POST", org === undefined ? "" : `?org=${org}`, { title: "a" });
  const id = text(body, "id");
  const base = `/v1/shop/_admin/data/main/tickets/${id}/_files/scan`;
  const file = await vault.uploaded(base, size, { token: admin });
  return { id, path: `${base}/${file["id"]}` };
}

async function used(org: string): Promise<unknown> {
  return (await usedOf(vault.store("shop"), `org:${org}`)).bytes;
}

describe("Files of organizations", () => {
  it("_transfer takes them along, and is 413 quota_exceeded where the target's quota does not hold them", async () => {
    const [acme, bolt] = [await organization(), await organization()];
    const { id, path } = await ticket(600, acme);
    await ticket(500, bolt);
    const refused = await data("POST", `/${id}/_transfer`, { org: bolt });
    expect([refused.status, code(refused)]).toEqual([413, "quota_exceeded"]);
    expect([await used(acme), await used(bolt)]).toEqual([600, 500]);
    const over = await vault.bring("POST", `${path.slice(0, path.lastIndexOf("/"))}?replace=true`, {
      bytes: Buffer.alloc(1_001),
      token: admin,
    });
    expect([over.status, code(over)]).toEqual([413, "quota_exceeded"]);
    const third = await organization();
    expect((await data("POST", `/${id}/_transfer`, { org: third })).status).toBe(200);
    expect([await used(acme), await used(third)]).toEqual([0, 600]);
    expect((await data("POST", `/${id}/_transfer`, { org: null })).status).toBe(200);
    expect(await used(third)).toBe(0);
    expect((await vault.bring("GET", path, { token: admin })).status).toBe(200);
  });

  it("_assign_org counts them as the organization's", async () => {
    const org = await organization();
    const { id } = await ticket(300);
    const where = { id };
    expect((await data("POST", "/_assign_org", { org, where })).status).toBe(202);
    await untilHolds(async () => (await used(org)) === 300);
    expect((await data("GET", `/${id}`)).body).toMatchObject({ _meta: { org, version: 3 } });
  });

  it("end with the organization, those of its documents in the trash too", async () => {
    const org = await organization();
    const live = await ticket(200, org);
    const trashed = await ticket(300, org);
    await data("DELETE", `/${trashed.id}`);
    expect(await used(org)).toBe(500);
    const gone = await vault.send("DELETE", `../_admin/orgs/${org}`, { token: admin });
    expect(gone.status).toBeLessThan(300);
    await untilHolds(async () => (await used(org)) === 0);
    const named = (await vault.records("names")).map(({ document }) => document);
    expect(named).not.toContain(live.id);
    expect(named).not.toContain(trashed.id);
    expect((await vault.bring("GET", live.path, { token: admin })).status).toBe(404);
  });
});
