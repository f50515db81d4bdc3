import { permits } from "../auth/scopes.ts";
import { type Access, readable } from "../documents/access.ts";
import { subscriptionFields } from "../documents/query/fields.ts";
import { readWhere } from "../documents/query/where.ts";
import { ApiError, type Detail } from "../errors.ts";
import { eq, type Filter, TRUE } from "../filter/algebra.ts";
import { canonicalKey } from "../filter/canonical.ts";
import { documentFields } from "../filter/fields.ts";
import { queryProblemsNamed } from "../http/parameters.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { Asked } from "./request.ts";

/** A subscription that can be followed. */
export interface Subscription {
  readonly id: string;
  readonly definition: CollectionDefinition;
  /** In the store. */
  readonly collection: string;
  /** Of `where`, or of the one document. */
  readonly wanted: Filter;
  /** The same text where the same is asked for by the same name. */
  readonly identity: string;
}

/** The collections of a realm by `<db>/<collection>`. */
export type Catalogue = ReadonlyMap<string, CollectionDefinition>;

export function catalogueOf(collections: readonly CollectionDefinition[]): Catalogue {
  return new Map(collections.map((definition) => [`${definition.database}/${definition.name}`, definition]));
}

/**
 * What a caller may follow of what they ask for (realtime.md, Opening a stream, 4 to 6): each thing is asked of all
 * subscriptions before the next one.
 * @throws ApiError `forbidden` | `not_found` | `realtime_not_enabled` | `invalid_query` | `unauthenticated`
 */
export function resolve(
  catalogue: Catalogue,
  access: Access,
  asked: readonly Asked[],
): readonly Subscription[] {
  requireScopes(access, asked);
  const placed = asked.map((each, at) => ({ each, at, definition: catalogue.get(nameOf(each)) }));
  const found = placed.map(({ each, at, definition }) => {
    if (definition === undefined) throw refused("not_found", "There is no such collection.", at);
    return { each, at, definition };
  });
  for (const { at, definition } of found) {
    if (definition.realtime === true) continue;
    throw refused("realtime_not_enabled", "The collection does not declare `realtime: true`.", at);
  }
  const problems: Detail[] = [];
  const subscriptions = found.map(({ each, at, definition }) => {
    const wanted = wantedOf(definition, access, each, `subscriptions.${at}`, problems);
    const collection = storeNameOf(definition);
    const identity = JSON.stringify([each.id, collection, canonicalKey(wanted)]);
    return { id: each.id, definition, collection, wanted, identity };
  });
  if (problems.length > 0) {
    throw new ApiError("invalid_query", "The where of a subscription is invalid.", {
      details: problems.slice(0, queryProblemsNamed),
    });
  }
  for (const [at, { definition }] of subscriptions.entries()) requireReadable(definition, access, at);
  return subscriptions;
}

const nameOf = ({ db, collection }: Asked) => `${db}/${collection}`;

/** A key can follow only what its scopes let it read (spec: Authentication 3). */
function requireScopes({ scopes }: Access, asked: readonly Asked[]): void {
  const at = asked.findIndex(({ db, collection }) => !permits(scopes, "read", db, collection));
  if (at >= 0) throw refused("forbidden", "The scopes of this API key do not cover the collection.", at);
}

/** @throws ApiError `unauthenticated` | `forbidden` where the caller can read nothing of a collection */
function requireReadable(definition: CollectionDefinition, access: Access, at: number): void {
  try {
    readable(definition, access, definition.rules?.read);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, headers } = error;
    const details = [{ path: `subscriptions.${at}.collection`, reason: "cannot be read by this caller" }];
    throw new ApiError(code, message, { headers, details });
  }
}

function refused(code: "forbidden" | "not_found" | "realtime_not_enabled", message: string, at: number) {
  const details = [{ path: `subscriptions.${at}.collection`, reason: reasons[code] }];
  return new ApiError(code, message, { details });
}

const reasons = {
  forbidden: "is not among the scopes",
  not_found: "does not exist",
  realtime_not_enabled: "cannot be followed",
};

function wantedOf(
  definition: CollectionDefinition,
  access: Access,
  { where, doc }: Asked,
  path: string,
  problems: Detail[],
): Filter {
  if (doc !== undefined) return eq(documentFields.id, doc);
  if (where === undefined) return TRUE;
  const read = readWhere(JSON.stringify(where), subscriptionFields(definition, access), () => undefined);
  if ("filter" in read) return read.filter;
  problems.push(...read.problems.map((problem) => ({ ...problem, path: `${path}.${problem.path}` })));
  return TRUE;
}
