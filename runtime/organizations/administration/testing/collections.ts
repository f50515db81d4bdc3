import { collection } from "../../../documents/testing/shop.ts";
import { documentFields, organizationFields } from "../../../filter/fields.ts";
import type { AccountSettings } from "../../../realm/definition.ts";
import type { OrganizationSettings } from "../../../realm/organizations.ts";
import { type Organizations, startOrganizations } from "../../testing/realm.ts";
import { organizationAdministrationRoutes } from "../routes.ts";

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
