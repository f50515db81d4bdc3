import { collection } from "../../documents/testing.ts";
import { documentFields, organizationFields } from "../../filter/fields.ts";
import { type AccountSettings, type CollectionDefinition, storeNameOf } from "../../realm/definition.ts";
import type { OrganizationSettings } from "../../realm/organizations.ts";
import { type Organizations, startOrganizations } from "../testing.ts";
import { organizationAdministrationRoutes } from "./routes.ts";

const fields = { ...documentFields, ...organizationFields };

/** Erased with their organization. */
export const tickets = collection("tickets", {
  fields,
  organization: { required: true, onDelete: "delete" },
});
/** Kept when their organization is deleted. */
export const invoices = collection("invoices", {
  fields,
  organization: { required: false, onDelete: "keep" },
});

/** Realms with the routes for their administrators too, and with collections whose documents belong to organizations. */
export function startAdministered(
  settings: Partial<OrganizationSettings> = {},
  accounts: Partial<AccountSettings> = {},
): Promise<Organizations> {
  return startOrganizations(settings, {
    accounts,
    definition: { collections: [tickets, collection("plain"), invoices] },
    routes: (realm) => (realm === "plain" ? {} : organizationAdministrationRoutes(realm)),
  });
}

/** Documents of an organization, or of none, made straight in the store of `shop`. */
export async function fill(
  server: Organizations,
  of: CollectionDefinition,
  org: string | undefined,
  live: number,
  deleted = 0,
): Promise<void> {
  const now = server.clock.now();
  const at = new Date(now).toISOString();
  const made = Array.from({ length: live + deleted }, (_, n) => {
    const id = `${of.name}-${org ?? "none"}-${n}`;
    const trashed = n >= live ? { deleted_at: at, deleted_by: "user:ada" } : {};
    const _meta = { created_at: at, updated_at: at, version: 1, ...trashed, ...(org && { org }) };
    const times = { createdAt: now, ...(n >= live && { deletedAt: now }) };
    return { id, version: 1, text: JSON.stringify({ id, _meta }), ...times };
  });
  await server.store("shop").collection(storeNameOf(of)).load(made);
}
