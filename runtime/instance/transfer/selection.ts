import { everyField, type QueryFields } from "../../documents/query/fields.ts";
import { readWhere } from "../../documents/query/where.ts";
import { ApiError } from "../../errors.ts";
import type { Filter } from "../../filter/algebra.ts";
import type { CollectionDefinition, RealmDefinition } from "../../realm/definition.ts";
import { didYouMean } from "../../suggest.ts";
import { type Program, realmsCalled, UsageError } from "../command.ts";

/** The collections of a realm that a command is for. */
export interface Selected {
  readonly realm: RealmDefinition;
  readonly collections: readonly CollectionDefinition[];
}

/**
 * What a command is for: all collections, or those of one realm, or one.
 * @param collection `<database>/<collection>`
 * @throws UsageError
 */
export function selectedBy(
  { realms }: Program,
  realm: string | undefined,
  collection: string | undefined,
): readonly Selected[] {
  const chosen = realmsCalled(realm, realms).map(({ definition }) => definition);
  if (collection === undefined) return chosen.map((each) => ({ realm: each, collections: each.collections }));
  const found = chosen.flatMap((each) => {
    const collections = each.collections.filter((one) => pathOf(one) === collection);
    return collections.length === 0 ? [] : [{ realm: each, collections }];
  });
  if (found.length === 1) return found;
  if (found.length > 1) {
    const names = found.map((each) => each.realm.name).join(", ");
    throw new UsageError(`--collection: realms ${names} have ${collection}; say which with --realm`);
  }
  const names = chosen.flatMap((each) => each.collections.map(pathOf));
  const hint = didYouMean(collection, names) ?? `there are: ${names.join(", ") || "none"}`;
  throw new UsageError(`--collection: there is no collection ${collection} (${hint})`);
}

/** `<database>/<collection>`. */
export function pathOf({ database, name }: Pick<CollectionDefinition, "database" | "name">): string {
  return `${database}/${name}`;
}

/**
 * The documents that a `where` asks for, in the language of the API.
 * @throws UsageError naming all that is wrong with it
 */
export function filterIn(where: string, definition: CollectionDefinition): Filter {
  const { field, references, everything, operators } = everyField(definition);
  // Documents are looked at one by one: no text index is asked.
  const fields: QueryFields = { field, references, everything, operators, text: "not-asked" };
  const read = readOrRefused(() => readWhere(where, fields, () => undefined));
  if ("filter" in read) return read.filter;
  throw new UsageError(`--where: ${read.problems.map(({ path, reason }) => `${path} ${reason}`).join("; ")}`);
}

function readOrRefused<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(`--where: ${error.message}`) : error;
  }
}
