import type { Collection, Realm, Reference } from "../../../compiler/model/model.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** Collections of a realm by the references that lead to them. */
export class References {
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #stems: ReadonlyMap<Collection, string>;
  readonly #targets: ReadonlySet<Collection>;

  constructor(realm: Realm, stems: ReadonlyMap<Collection, string>) {
    const collections = realm.databases.flatMap((database) => database.collections);
    this.#collections = new Map(collections.map((each) => [`${each.database}/${each.name}`, each]));
    this.#stems = stems;
    this.#targets = new Set(
      collections.flatMap(({ references }) => references.map((each) => this.target(each))),
    );
  }

  /** @throws Error for a collection that does not exist, which the checks refuse */
  target({ database, collection, name }: Reference): Collection {
    const found = this.#collections.get(`${database}/${collection}`);
    if (found === undefined) throw new Error(`reference ${name} leads to no collection`);
    return found;
  }

  isTarget(collection: Collection): boolean {
    return this.#targets.has(collection);
  }

  stemOf(collection: Collection): string {
    return this.#stems.get(collection) ?? "";
  }
}

/** `_expanded` of a collection's documents; undefined where nothing can be expanded. */
export function expandedSchema(
  pool: SchemaPool,
  references: References,
  { references: own }: Collection,
  stem: string,
): Ref | undefined {
  if (own.length === 0) return undefined;
  const entries = own.map((reference) => [reference.name, entry(pool, references, reference)] as const);
  return pool.add(`${stem}Expanded`, {
    type: "object",
    description: "The references asked for by `expand`; ignored in what clients send.",
    properties: Object.fromEntries(entries),
    additionalProperties: false,
  });
}

/** The document, what was selected of it, or null where there is none that the caller can read. */
function entry(pool: SchemaPool, references: References, reference: Reference): JsonObject {
  const stem = references.stemOf(references.target(reference));
  const document = {
    anyOf: [pool.reserved(`${stem}Document`), pool.reserved(`${stem}Selection`), { type: "null" }],
  };
  if (!reference.many) return document;
  const list = { type: "array", items: document };
  const cut = {
    type: "object",
    description: "The first documents of more than are followed.",
    required: ["items", "truncated"],
    properties: { items: list, truncated: { type: "boolean", const: true } },
    additionalProperties: false,
  };
  return { anyOf: [list, cut, { type: "null" }] };
}

/** The entries of `expand`; undefined where nothing can be expanded. */
export function expandSchema(
  pool: SchemaPool,
  references: References,
  { references: own, expand }: Collection,
  stem: string,
): Ref | undefined {
  if (own.length === 0) return undefined;
  const { maxDepth = 2, maxPaths } = expand ?? {};
  const names = own.flatMap((reference) => [
    reference.name,
    ...(maxDepth > 1
      ? references.target(reference).references.map(({ name }) => `${reference.name}.${name}`)
      : []),
  ]);
  const selectable = names.map((name) => name.replace(".", "\\.")).join("|");
  return pool.add(`${stem}Expand`, {
    type: "array",
    minItems: 1,
    ...(maxPaths !== undefined && { maxItems: maxPaths }),
    uniqueItems: true,
    items: {
      anyOf: [
        { type: "string", enum: names },
        {
          type: "string",
          description: "With the fields of the target that are wanted: `name(field,other.field)`.",
          pattern: `^(?:${selectable})\\([^,()]+(?:,[^,()]+)*\\)$`,
        },
      ],
    },
  });
}
