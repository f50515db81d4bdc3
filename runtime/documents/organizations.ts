import { ApiError, type Detail } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { notOrgMember } from "../organizations/errors.ts";
import type { CollectionDefinition } from "../realm/definition.ts";

/** What `?org=` and `?team=` of a create, or of all the creates of a batch, say. */
export interface Named {
  readonly org: string | undefined;
  readonly team: string | undefined;
}

/** Where a request creates. */
export interface Place extends Named {
  /** Teams of the organization that the caller may name; undefined: they may not create in it, if there is one. */
  readonly teams: ReadonlySet<string> | undefined;
  /** Where documents belong to organizations and the request names none: the one whose key the caller has. */
  readonly own?: string;
}

/** What `_meta` of a document says of its organization and team. */
export interface Belonging {
  readonly org?: string | undefined;
  readonly team?: string | undefined;
}

export const nowhere: Place = { org: undefined, team: undefined, teams: undefined };

const nobodys: Belonging = {};

/**
 * The organization and team of a new document (spec: Document endpoints 3; api-decisions, Organizations).
 * @throws ApiError `org_not_allowed` | `org_required` | `not_org_member` | `team_not_allowed` | `team_required` |
 *   `forbidden` for a team that the caller may not name
 */
export function belongingIn(definition: CollectionDefinition, place: Place): Belonging {
  const { organization } = definition;
  const { team, teams, own } = place;
  const org = place.org ?? (organization === undefined ? undefined : own);
  if (org !== undefined && organization === undefined) throw notAllowed("org");
  if (team !== undefined && organization?.teams === undefined) throw notAllowed("team");
  if (org === undefined) {
    if (organization?.required !== true && team === undefined) return nobodys;
    throw orgRequired(team);
  }
  if (teams === undefined) throw notOrgMember();
  if (team === undefined) {
    if (organization?.teams === "required") throw teamRequired();
    return { org };
  }
  if (!teams.has(team)) throw new ApiError("forbidden", "You are in no such team of the organization.");
  return { org, team };
}

/** The error of a write that names what its collection does not have. */
export function notAllowed(parameter: "org" | "team"): ApiError {
  const what = parameter === "org" ? "organizations" : "teams";
  return new ApiError(`${parameter}_not_allowed`, `Documents here do not belong to ${what}.`, {
    details: [{ path: parameter, reason: `is not available: there are no ${what} here` }],
  });
}

function orgRequired(team: string | undefined): ApiError {
  const reason = team === undefined ? "is required" : "is required: a team is one of an organization";
  return new ApiError(
    "org_required",
    "The document needs an organization; name it in the query: ?org=<id>.",
    {
      details: [{ path: "org", reason }],
    },
  );
}

export function teamRequired(): ApiError {
  return new ApiError("team_required", "Documents here need a team.", {
    details: [{ path: "team", reason: "is required" }],
  });
}

/** An organization that an update names: the parameter, or `_meta.org` of the body. */
export interface NamedOrganization {
  readonly path: "org" | "_meta.org";
  readonly value: JsonValue;
}

/**
 * The organizations that an update names.
 * @param body whose `_meta.org` is not ignored as the rest of its `_meta` is
 * @param parameter `?org=`
 */
export function organizationsNamed(
  body: JsonObject,
  parameter: string | undefined,
): readonly NamedOrganization[] {
  const { _meta: meta } = body;
  const isNamed = isJsonObject(meta) && Object.hasOwn(meta, "org");
  if (!isNamed && parameter === undefined) return none;
  const named: NamedOrganization[] = [];
  if (parameter !== undefined) named.push({ path: "org", value: parameter });
  if (isNamed) named.push({ path: "_meta.org", value: meta["org"] ?? null });
  return named;
}

const none: readonly NamedOrganization[] = [];

/**
 * Refuses an update that names another organization than the document's (spec: Document, `_meta.org`).
 * @param meta the document's
 * @throws ApiError `immutable_field`
 */
export function requireSameOrganization(
  { organization }: CollectionDefinition,
  meta: JsonObject,
  named: readonly NamedOrganization[],
): void {
  if (organization === undefined || named.length === 0) return;
  const own = meta["org"] ?? null;
  const details: readonly Detail[] = named
    .filter(({ value }) => value !== own)
    .map(({ path }) => ({ path, reason: "must be the document's own organization" }));
  if (details.length === 0) return;
  throw new ApiError("immutable_field", "A document stays in its organization.", { details });
}

/** @param meta the document's */
export function belongingOf({ org, team }: JsonObject): Belonging {
  return {
    org: typeof org === "string" ? org : undefined,
    team: typeof team === "string" ? team : undefined,
  };
}

/** What rules see in `data` beside the members that are written: the document's organization and team. */
export function metaInData(
  { organization }: CollectionDefinition,
  { org, team }: Belonging,
): { _meta?: JsonObject } {
  if (organization === undefined) return {};
  return { _meta: { ...(org !== undefined && { org }), ...(team !== undefined && { team }) } };
}
