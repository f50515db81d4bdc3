import { requireProof } from "../../auth/accounts/proof.ts";
import { administratorRoute } from "../../auth/administration/administrator.ts";
import { BodyReader, invalid } from "../../auth/input.ts";
import { answerEntries, invalidParameter, listOf, pageParameters, pageRequest } from "../../auth/paging.ts";
import type { ApiError } from "../../errors.ts";
import { and, eq, type Filter, isIn, or, TRUE, text } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import type { Received, Route } from "../../realm/exchange.ts";
import { collections, memberFields, organizationFields } from "../collections.ts";
import { createOrganization, type NewOrganization } from "../create.ts";
import { deletion } from "../delete.ts";
import { readName, readSlug } from "../names.ts";
import { type OrganizationRecord, organizationStatuses, readOrganization } from "../records.ts";
import type { OrganizationRealm } from "../route.ts";
import { organizationView } from "../views.ts";
import { changeExisting, requireOrganization } from "./change.ts";

const organizationList = listOf(collections.organizations, documentFields.id, readOrganization, (org) => [
  org.created_at,
  org.id,
]);

/** GET `/orgs`: oldest first; all, deleted ones too, or those of a `status`, with part of the name or slug (`q`). */
export function listOrganizations(realm: OrganizationRealm): Route {
  return administratorRoute(
    realm,
    { area: "users", to: "see" },
    async (_, _by, query) => {
      const entries = (orgs: readonly OrganizationRecord[]) => administratorViews(realm, orgs);
      return answerEntries(realm, organizationList, search(query), pageRequest(query), entries);
    },
    [...pageParameters, "status", "q"],
  );
}

/** @throws ApiError `invalid_query` */
function search(query: ReadonlyMap<string, string>): Filter {
  const status = query.get("status");
  if (status !== undefined && !organizationStatuses.some((known) => known === status)) {
    throw invalidParameter("status", `must be one of ${organizationStatuses.join(", ")}`);
  }
  const part = query.get("q");
  const { name, slug } = organizationFields;
  return and(
    status === undefined ? TRUE : eq(organizationFields.status, status),
    part === undefined
      ? TRUE
      : or(text("contains", name, part, true), text("contains", slug, part.toLowerCase())),
  );
}

/** GET `/orgs/{org}`: also one that is deleted. */
export function getAnyOrganization(realm: OrganizationRealm): Route {
  return administratorRoute(realm, { area: "users", to: "see" }, async (exchange) => ({
    status: 200,
    body: await administratorBody(realm, await requireOrganization(realm, exchange)),
  }));
}

/** An organization as administrators see it, as the body of an answer. */
export async function administratorBody(realm: OrganizationRealm, org: OrganizationRecord): Promise<string> {
  const [view] = await administratorViews(realm, [org]);
  return JSON.stringify(view);
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

/**
 * POST `/orgs`: an organization of the user `owner`, who gets `creator_roles`. It counts for them as one that they
 * created, but is made also where they may not create another.
 */
export function createOrganizationFor(realm: OrganizationRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, { caller }) => {
    const given = read(exchange);
    const noOwner = () => noUser("owner");
    const org = await createOrganization(realm, exchange, caller, { ...given, noOwner });
    return { status: 201, body: await administratorBody(realm, org) };
  });
}

function read(exchange: Received): Omit<NewOrganization, "noOwner"> {
  const body = new BodyReader(exchange, "application/json");
  const given = { name: readName(body), slug: readSlug(body), owner: body.string("owner") };
  body.finish();
  return given;
}

/** For a member of a body that names a user whom there is not. */
export function noUser(path: string): ApiError {
  return invalid([{ path, reason: "must be the id of a user" }]);
}

/** DELETE `/orgs/{org}`. From a session it needs a fresh proof of identity; keys have none. */
export function removeOrganization(realm: OrganizationRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, { caller }) => {
    if (caller.kind === "user") await requireProof(realm, exchange, caller);
    await changeExisting(realm, exchange, (org) => deletion(realm, exchange, caller, org));
    realm.wakeJobs();
    return { status: 204 };
  });
}
