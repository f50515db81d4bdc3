import { administratorRoute } from "../../auth/contracted.ts";
import * as contract from "../../contract/organization-administration.ts";
import { eq } from "../../filter/algebra.ts";
import { organizationFields } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import { storeNameOf } from "../../realm/definition.ts";
import { type OrganizationRealm, ofOrganizations } from "../route.ts";
import { requireOrganization } from "./change.ts";

/** Of each collection whose documents may belong to organizations, deleted ones too, and what becomes of them with it. */
export const getOwned = administratorRoute(
  contract.getOwned,
  ofOrganizations((realm) => {
    const owning = owningCollections(realm);
    return async ({ exchange }) => {
      const { id } = await requireOrganization(realm, exchange);
      const own = eq(organizationFields["_meta.org"], id);
      const items: JsonObject[] = [];
      for (const { database, collection, policy, documents } of owning) {
        items.push({ database, collection, count: await documents.count(own, "all"), policy });
      }
      return { status: 200, body: JSON.stringify({ items }) };
    };
  }),
);

function owningCollections({ definition, store }: OrganizationRealm) {
  return definition.collections
    .flatMap(({ organization, ...collection }) =>
      organization === undefined ? [] : [{ collection, policy: organization.onDelete }],
    )
    .map(({ collection, policy }) => ({
      database: collection.database,
      collection: collection.name,
      policy,
      documents: store.collection(storeNameOf(collection)),
    }));
}
