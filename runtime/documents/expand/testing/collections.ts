import { documentFields, type FieldTable, field, ownershipFields } from "../../../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../json.ts";
import type { CollectionDefinition, ReferenceDefinition } from "../../../realm/definition.ts";
import type { IndexShape } from "../../../store/contract/shape.ts";
import { collection, type Received, type Shop, startShop, text, validatorOf } from "../../testing/shop.ts";

/** Any object: these tests are not about schemas. */
const validate = validatorOf({ type: "object" });

/** A collection of any objects, with these fields declared. */
export function declared(
  name: string,
  fields: FieldTable,
  more: Partial<CollectionDefinition> = {},
): CollectionDefinition {
  return collection(name, {
    fields: { ...documentFields, ...ownershipFields, ...fields },
    validate,
    ...more,
  });
}

/** To a collection of the same database, by its `id`. */
export function reference(
  target: string,
  source: string,
  more: Partial<ReferenceDefinition> = {},
): ReferenceDefinition {
  const { many = false } = more;
  const from = ownershipFields["_meta.owner"].path === source ? ownershipFields["_meta.owner"] : undefined;
  return {
    database: "main",
    collection: target,
    field: from ?? field(source, "string", many ? [source] : []),
    key: "id",
    many,
    ...more,
  };
}

export function uniqueIndex(path: string): IndexShape {
  return { name: path, keys: [{ field: field(path, "string"), descending: false }], unique: true };
}

const teams = declared("teams", { name: field("name", "string") });

const people = declared(
  "people",
  {
    name: field("name", "string"),
    team_id: field("team_id", "string"),
    boss_id: field("boss_id", "string"),
    address: field("address", "object"),
    "address.city": field("address.city", "string"),
    "address.zip": field("address.zip", "string"),
    lines: field("lines", "object", ["lines"]),
    "lines.sku": field("lines.sku", "string", ["lines"]),
    tag_slugs: field("tag_slugs", "string", ["tag_slugs"]),
  },
  {
    references: {
      team: reference("teams", "team_id"),
      boss: reference("people", "boss_id"),
      tags: reference("tags", "tag_slugs", { many: true, key: "slug" }),
    },
  },
);

const tags = declared(
  "tags",
  { slug: field("slug", "string"), title: field("title", "string"), maker_id: field("maker_id", "string") },
  {
    indexes: [uniqueIndex("slug")],
    softDelete: {},
    references: { maker: reference("people", "maker_id") },
  },
);

export const posts = declared(
  "posts",
  {
    title: field("title", "string"),
    author: field("author", "string"),
    editor_id: field("editor_id", "string"),
    tag_slugs: field("tag_slugs", "string", ["tag_slugs"]),
    related_ids: field("related_ids", "string", ["related_ids"]),
    about: field("about", "object"),
    "about.person_id": field("about.person_id", "string"),
  },
  {
    references: {
      author: reference("people", "author"),
      editor: reference("people", "editor_id"),
      subject: reference("people", "about.person_id"),
      tags: reference("tags", "tag_slugs", { many: true, key: "slug", maxExpand: 3 }),
      related: reference("posts", "related_ids", { many: true }),
    },
  },
);

/** A publication: posts by people about tags. */
export const publication: readonly CollectionDefinition[] = [teams, people, tags, posts];

/** A running publication with documents that go by names. */
export interface Published {
  readonly shop: Shop;
  /** Of the document of that name. */
  id(name: string): string;
}

/**
 * Ann, whose boss is Eve, both in the team `writers`; the tags `red`, `green`, `blue`, `white` and, deleted, `gone`, all
 * made by Eve; and three posts: `plain` without references, `full` with all, `cut` with more tags than are followed.
 */
export async function startPublished(): Promise<Published> {
  const shop = await startShop("disabled", publication);
  const ids = new Map<string, string>();
  const id = (name: string) => ids.get(name) ?? name;
  const make = async (name: string, collection: string, body: JsonObject) => {
    ids.set(name, await create(shop, collection, body));
  };
  await make("writers", "teams", { name: "Writers" });
  await make("eve", "people", { name: "Eve", team_id: id("writers") });
  await make("ann", "people", {
    name: "Ann",
    team_id: id("writers"),
    boss_id: id("eve"),
    address: { city: "Berlin", zip: "10115", street: "undeclared" },
    lines: [{ sku: "a", qty: 1 }, { qty: 2 }, { sku: "c" }],
    tag_slugs: ["blue"],
  });
  for (const slug of ["red", "green", "blue", "gone", "white"]) {
    await make(slug, "tags", { slug, title: slug.toUpperCase(), maker_id: id("eve") });
  }
  await shop.send("DELETE", `tags/${id("gone")}`);
  await make("plain", "posts", { title: "plain" });
  await make("full", "posts", {
    title: "full",
    author: id("ann"),
    editor_id: id("eve"),
    about: { person_id: id("ann") },
    tag_slugs: ["green", "gone", "red"],
    related_ids: [id("plain"), "nothing", id("plain")],
  });
  await make("cut", "posts", {
    title: "cut",
    author: id("ann"),
    editor_id: "nothing",
    tag_slugs: ["blue", "white", "blue", "red"],
    related_ids: [],
  });
  return { shop, id };
}

/** Creates a document; answers its id. */
export async function create(shop: Shop, name: string, body: JsonObject, token?: string): Promise<string> {
  const created = await shop.send("POST", name, { body, ...(token !== undefined && { token }) });
  if (created.status !== 201) throw new Error(created.text);
  return text(created.body, "id");
}

/** The `_expanded` of a document. */
export function expandedOf(document: JsonValue | undefined): JsonObject {
  const expanded = at(document, "_expanded");
  if (!isJsonObject(expanded)) throw new Error(`nothing expanded in ${JSON.stringify(document)}`);
  return expanded;
}

/** The documents of a list. */
export function items({ body }: Received): readonly JsonObject[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

/** The value at a path through objects and lists. */
export function at(
  value: JsonValue | undefined,
  ...path: readonly (string | number)[]
): JsonValue | undefined {
  let reached = value;
  for (const step of path) {
    if (typeof step === "number") reached = Array.isArray(reached) ? reached[step] : undefined;
    else reached = isJsonObject(reached) ? reached[step] : undefined;
  }
  return reached;
}

/** What the headers say: queries made, documents returned. */
export function costs({ headers }: Received): readonly [queries: string | null, documents: string | null] {
  return [headers.get("x-svc-expand-queries"), headers.get("x-svc-expand-docs")];
}
