import { appendAudit } from "../../auth/administration/audit.ts";
import { administratorRoute } from "../../auth/contracted.ts";
import { answerEntries, listOf, oneOf, pageRequest } from "../../auth/paging.ts";
import type { Read } from "../../auth/records.ts";
import * as contract from "../../contract/organization-administration.ts";
import { ApiError, invalidBody } from "../../errors.ts";
import { and, eq, type Filter, isIn, or, TRUE, text } from "../../filter/algebra.ts";
import { organizationFields as belongingFields, documentFields } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import { storeNameOf } from "../../realm/definition.ts";
import { changeOrganization, type Decision } from "../change.ts";
import { collections, memberFields, organizationFields } from "../collections.ts";
import { createOrganization } from "../create.ts";
import { deletion } from "../delete.ts";
import { finishErasing, stillErasing } from "../finish-erasing.ts";
import { type OrganizationRecord, organizationStatuses, readOrganization } from "../records.ts";
import { type OrganizationRealm, ofOrganizations } from "../route.ts";
import { organizationView } from "../views.ts";
import { changeExisting, noSuchOrganization, requireOrganization } from "./change.ts";

const organizationList = listOf(collections.organizations, documentFields.id, readOrganization, (org) => [
  org.created_at,
  org.id,
]);

export const listOrganizations = administratorRoute(
  contract.listOrganizations,
  ofOrganizations((realm) => async ({ query }) => {
    const entries = (orgs: readonly OrganizationRecord[]) => administratorViews(realm, orgs);
    return answerEntries(realm, organizationList, search(query), pageRequest(query), entries);
  }),
);

/** @throws ApiError `invalid_query` */
function search(query: ReadonlyMap<string, string>): Filter {
  const status = oneOf(query, "status", organizationStatuses);
  const part = query.get("q");
  const { name, slug } = organizationFields;
  return and(
    status === undefined ? TRUE : eq(organizationFields.status, status),
    part === undefined
      ? TRUE
      : or(text("contains", name, part, true), text("contains", slug, part.toLowerCase())),
  );
}

export const getAnyOrganization = administratorRoute(
  contract.getAnyOrganization,
  ofOrganizations(
    (realm) =>
      async ({ exchange }) =>
        administratorView(realm, await requireOrganization(realm, exchange)),
  ),
);

export async function administratorView(
  realm: OrganizationRealm,
  org: OrganizationRecord,
): Promise<JsonObject> {
  const [view = {}] = await administratorViews(realm, [org]);
  return view;
}

/** With how many members each has. */
async function administratorViews(
  { store }: OrganizationRealm,
  orgs: readonly OrganizationRecord[],
): Promise<readonly JsonObject[]> {
  // Of a deleted one there may be records that its job has not come to yet.
  const ids = orgs.filter(({ status }) => status !== "deleted").map(({ id }) => id);
  const { groups } = await store.collection(collections.members).aggregate({
    filter: isIn(memberFields.org, ids),
    visibility: "live",
    groupBy: [{ field: memberFields.org }],
    metrics: [{ op: "count" }],
    order: [],
    limit: ids.length,
  });
  const counts = new Map(groups.map(({ key: [org], metrics: [count] }) => [org, count] as const));
  return orgs.map((org) => ({ ...organizationView(org), member_count: counts.get(org.id) ?? 0 }));
}

/** Made also where they may not create another; it counts as one that they created. */
export const createOrganizationFor = administratorRoute(
  contract.createOrganizationFor,
  ofOrganizations((realm) => async ({ exchange, body }, { caller }) => {
    const noOwner = () => noUser("owner");
    const org = await createOrganization(realm, exchange, caller, { ...body(), noOwner });
    return administratorView(realm, org);
  }),
);

/** For a member of a body that names a user whom there is not. */
export function noUser(path: string): ApiError {
  return invalidBody([{ path, reason: "must be the id of a user" }]);
}

export const removeOrganization = administratorRoute(
  contract.removeOrganization,
  ofOrganizations((realm) => async ({ exchange }, { caller }) => {
    await changeExisting(realm, exchange, (org) => deletion(realm, exchange, caller, org));
    realm.wakeJobs();
  }),
);

/** Of each collection whose documents may belong to organizations, deleted ones too, and what becomes of them with it. */
export const getOwned = administratorRoute(
  contract.getOwned,
  ofOrganizations((realm) => {
    const owning = owningCollections(realm);
    return async ({ exchange }) => {
      const { id } = await requireOrganization(realm, exchange);
      const own = eq(belongingFields["_meta.org"], id);
      const items: JsonObject[] = [];
      for (const { database, collection, policy, documents } of owning) {
        items.push({ database, collection, count: await documents.count(own, "all"), policy });
      }
      return { items };
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

/** By the slug that it had or another one (spec: States, Organization). What `on_org_delete` erases is erased before. */
export const reactivateOrganization = administratorRoute(
  contract.reactivateOrganization,
  ofOrganizations((realm) => async ({ exchange, body }, { caller }) => {
    const { slug: asked } = body();
    const { id, status } = await requireOrganization(realm, exchange);
    if (status !== "deleted") throw notDeleted();
    await finishErasing(realm, id);
    const decide = async ({
      record: before,
    }: Read<OrganizationRecord>): Promise<Decision<OrganizationRecord>> => {
      if (before.status !== "deleted") throw notDeleted();
      if (before.cleanup !== null) throw stillErasing(before.cleanup.job);
      const slug = asked ?? before.slug;
      const org: OrganizationRecord = { ...before, slug, slug_key: slug, status: "active", deleted_at: null };
      return {
        org,
        result: org,
        along: (transaction) =>
          appendAudit(realm, transaction, exchange, caller, {
            action: "org.reactivate",
            target: `org:${id}`,
          }),
      };
    };
    const org = await changeOrganization(realm, id, decide, noSuchOrganization);
    return administratorView(realm, org);
  }),
);

function notDeleted(): ApiError {
  return new ApiError("conflict", "The organization is not deleted.");
}
