/** Lists of rule tests: the route's own, on the store, beside what the checks of rules say of each document. */
import { type Access, allows } from "../../../runtime/documents/access.ts";
import type { Collection } from "../../../runtime/documents/collection.ts";
import type { Open } from "../../../runtime/documents/entrance.ts";
import { queryFields } from "../../../runtime/documents/query/fields.ts";
import { readWhere } from "../../../runtime/documents/query/where.ts";
import { listDocuments } from "../../../runtime/documents/routes/list.ts";
import { TRUE } from "../../../runtime/filter/algebra.ts";
import { matches } from "../../../runtime/filter/predicate.ts";
import { kept } from "../../../runtime/kept.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import type { RealmInstance, Route } from "../../../runtime/realm/exchange.ts";
import type { ListTest } from "../rule-tests.ts";
import { exchange } from "./operations.ts";
import type { StoredTest } from "./realm.ts";

/** What a list holds, by the names of documents. */
export interface Listed {
  readonly names: readonly string[];
  /** Of documents of which the filter, on the store, says something else than the check does. */
  readonly differing: readonly string[];
}

const limit = 100;

/** @throws ApiError as the route does */
export async function list(
  realm: RealmInstance,
  collection: Collection,
  access: Access,
  test: ListTest,
  documents: readonly StoredTest[],
): Promise<Listed> {
  const byId = new Map(documents.map(({ name, write }) => [write.id, name]));
  const names = (await idsOf(realm, collection, access, test)).map((id) => byId.get(id) ?? id);
  const checked = checkedNames(collection, access, test, documents);
  if (checked === undefined) return { names, differing: [] };
  const listed = new Set(names);
  const differing = documents
    .map(({ name }) => name)
    .filter((name) => listed.has(name) !== checked.has(name));
  return { names, differing };
}

async function idsOf(
  realm: RealmInstance,
  { definition }: Collection,
  access: Access,
  { where, orderBy, deleted }: ListTest,
): Promise<readonly string[]> {
  const asked = new URLSearchParams({
    ...(where !== undefined && { where }),
    ...(orderBy !== undefined && { order_by: orderBy }),
    ...(deleted !== undefined && { deleted }),
    limit: String(limit),
  });
  const own = kept(routes, access, () => new WeakMap<CollectionDefinition, Route>());
  const { handle } = kept(own, definition, () => listDocuments(definition, entranceOf(access))(realm));
  const ids: string[] = [];
  for (;;) {
    asked.set("skip", String(ids.length));
    const { body } = await handle(exchange(asked.toString()));
    const page: { items: { id: string }[]; has_more: boolean } = JSON.parse(String(body));
    ids.push(...page.items.map(({ id }) => id));
    if (!page.has_more) return ids;
  }
}

/** Of callers, by collection: what a route is made of is looked at once. */
const routes = new WeakMap<Access, WeakMap<CollectionDefinition, Route>>();

/** The way in of one caller, whom nobody asks who they are. */
function entranceOf(access: Access): Open {
  return () => ({
    class: "document",
    name: "rule-tests",
    reader: () => access,
    further: (known) => known,
    writer: () => access,
    place: (_, named) => ({ ...named, teams: undefined }),
  });
}

/** Those that the checks let the caller see; undefined where the query searches, which only a store can do. */
function checkedNames(
  { definition }: Collection,
  access: Access,
  { where, deleted }: ListTest,
  documents: readonly StoredTest[],
): ReadonlySet<string> | undefined {
  const { rules } = definition;
  const read =
    where === undefined ? undefined : readWhere(where, queryFields(definition, access), () => undefined);
  if (read !== undefined && (!("filter" in read) || read.searches)) return undefined;
  const filter = read?.filter ?? TRUE;
  const seen = documents.filter(({ write, document }) => {
    const isDeleted = write.deletedAt !== undefined;
    if (isDeleted ? deleted === undefined : deleted === "only") return false;
    // Of each document it is asked, also where the query leaves it out.
    const isReadable = allows(rules?.read, access, document);
    if (!isReadable || !matches(filter, document)) return false;
    return !isDeleted || allows(rules?.restore, access, document);
  });
  return new Set(seen.map(({ name }) => name));
}
