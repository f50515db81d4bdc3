import type { Collection, Realm } from "../../../compiler/model/model.ts";
import { serverFields } from "../../../compiler/model/server-fields.ts";
import type { CompiledRules } from "../../../compiler/rules/compiled.ts";
import { placeOf } from "../../../compiler/schema/place.ts";
import { writtenSchema } from "../../../compiler/settings/defaults.ts";
import { timestamp } from "../../../runtime/contract/schema.ts";
import { type FieldTable, organizationFields, teamFields } from "../../../runtime/filter/fields.ts";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { documentView, type View } from "./document-view.ts";
import { patchView } from "./patch-view.ts";
import type { Ref, SchemaPool } from "./pool.ts";
import { expandedSchema, type References } from "./references.ts";
import { selectionView } from "./selection-view.ts";

/** The schemas by which a collection's documents travel. */
export interface CollectionSchemas {
  /** As a client writes it whole: schema.json itself, but that what has an applied default may be left out. */
  readonly input: Ref;
  readonly Create: Ref;
  readonly Replace: Ref;
  readonly Patch: Ref;
  /** As it is returned. */
  readonly Document: Ref;
  readonly Page: Ref;
}

/**
 * @param stem For the names: `TicketsInput`, `TicketsCreate` (where an id is sent along), `TicketsReplace` (where field
 *   rules let members be left out), `TicketsPatch`, `TicketsDocument`, `TicketsPage`, `TicketsExpanded` (where there are
 *   references), `TicketsSelection` (where references lead here).
 * @param file the schema of file objects, where the collection has files
 */
export function collectionSchemas(
  pool: SchemaPool,
  realm: Realm,
  collection: Collection,
  rules: CompiledRules | undefined,
  references: References,
  stem: string,
  file?: Ref,
): CollectionSchemas {
  const place = placeOf(collection.schema);
  const written = placeOf(writtenSchema(collection));
  const declared = new Set(collection.fields.map(({ path }) => path));
  const hidden = (rules?.fieldRules ?? [])
    .filter(({ path, read }) => read && read.facts.constant !== true && declared.has(path))
    .map(({ path }) => path.split("."));

  const input = pool.addPlace(`${stem}Input`, written);
  const id = collection.customId && customIdSchema(collection.customId);
  const Create = id
    ? pool.add(
        `${stem}Create`,
        untitled(documentView(pool, written, { ...asWritten, added: { id }, required: ["id"] })),
      )
    : input;
  // What a caller cannot read is kept where a replacement leaves it out.
  const Replace =
    hidden.length > 0
      ? pool.add(`${stem}Replace`, untitled(documentView(pool, written, { ...asWritten, optional: hidden })))
      : input;
  const Patch = pool.add(`${stem}Patch`, untitled({ type: "object", ...patchView(pool, place) }));
  const expanded = expandedSchema(pool, references, collection, stem);
  const added = {
    id: { type: "string" },
    ...(file && filesOf(collection, file)),
    _meta: meta(pool, realm, collection),
    ...(expanded && { _expanded: expanded }),
  };
  const Document = pool.add(
    `${stem}Document`,
    documentView(pool, place, { added, required: ["id", "_meta"], optional: hidden, open: true }),
  );
  if (references.isTarget(collection)) {
    const own = { ...added, _meta: selectedMeta(pool, realm) };
    pool.add(`${stem}Selection`, selection(collection, own, selectionView(pool, place)));
  }
  return { input, Create, Replace, Patch, Document, Page: page(pool, stem, Document) };
}

/** By the names of the fields; a document has none where there is no file. */
function filesOf({ files = [] }: Collection, file: Ref): JsonObject {
  return Object.fromEntries(
    files.map(({ name, maxFiles }) => [
      name,
      maxFiles === 1 ? file : { type: "array", minItems: 1, items: file },
    ]),
  );
}

/** A document of which fields were selected. */
function selection({ name }: Collection, added: JsonObject, view: JsonObject): JsonObject {
  return {
    ...untitled(view),
    type: "object",
    description: `Selected fields of a document of ${name}; \`_meta\` only where it is selected.`,
    required: ["id"],
    properties: { ...added, ...(isJsonObject(view.properties) && view.properties) },
  };
}

/** Readers show a title in place of the name, and several schemas must not look alike. */
function untitled({ title: _, ...schema }: JsonObject): JsonObject {
  return schema;
}

const asWritten: View = { added: {}, required: [], optional: [], open: false };

function customIdSchema(customId: NonNullable<Collection["customId"]>): JsonObject {
  return {
    type: "string",
    // configuration.md, `custom_id`: the safety envelope.
    pattern: "^(?!\\.{1,2}$)(?!_)[A-Za-z0-9._~-]{1,128}$",
    ...(customId.pattern !== undefined && { allOf: [{ pattern: customId.pattern }] }),
    ...(customId.is === "user" && { description: "The creating user's own id." }),
  };
}

function page(pool: SchemaPool, stem: string, document: Ref): Ref {
  const properties = {
    items: { type: "array", items: document },
    limit: { type: "integer", description: "Page size used." },
    skip: { type: "integer", description: "Offset used." },
    has_more: { type: "boolean", description: "Whether documents exist beyond this page." },
    next_cursor: {
      type: "string",
      description: "For `after`: present when `has_more` is true and the order allows it.",
    },
    total: { type: "integer", description: "Only with `count=true`." },
  };
  const required = ["items", "limit", "skip", "has_more"];
  return pool.add(`${stem}Page`, { type: "object", required, properties });
}

const metas = ["Meta", "DeletableMeta", "RetainedMeta"] as const;

const belongings = ["", "Organization", "Team"] as const;

/** Names of the schemas of `_meta`. */
export const metaKinds: readonly string[] = [
  ...metas.flatMap((kind) => belongings.flatMap((whose) => [whose + kind, `Searchable${whose}${kind}`])),
  "SelectedMeta",
];

const actor = (what: string): JsonObject => ({
  type: "string",
  description: `${what}: \`user:<id>\`, \`key:<name>\` or \`anonymous\`.`,
});

/** `_meta` as documents of the collection have it; one component for each kind that the realm has. */
function meta(pool: SchemaPool, realm: Realm, collection: Collection): Ref {
  const { softDelete, text, organization } = collection;
  const kind: (typeof metas)[number] = !softDelete
    ? "Meta"
    : softDelete.retention === undefined
      ? "DeletableMeta"
      : "RetainedMeta";
  const whose: (typeof belongings)[number] =
    organization === undefined ? "" : organization.teams === undefined ? "Organization" : "Team";
  return pool.share(`${text ? "Searchable" : ""}${whose}${kind}`, () => {
    const { purge_at, ...properties } = metaProperties(serverFields(realm, collection));
    return {
      type: "object",
      description: "Kept by the server; ignored in what clients send.",
      required: ["created_at", "updated_at"],
      properties: {
        ...properties,
        ...(softDelete?.retention !== undefined && purge_at !== undefined && { purge_at }),
        ...(text && {
          score: {
            type: "number",
            description: "How well it matches the search; only with `order_by=_relevance`.",
          },
        }),
      },
      additionalProperties: false,
    };
  });
}

/** `_meta` of a document of which fields were selected. */
function selectedMeta(pool: SchemaPool, realm: Realm): Ref {
  const belonging = realm.organizations && { ...organizationFields, ...teamFields };
  return pool.share("SelectedMeta", () => ({
    type: "object",
    properties: metaProperties({ ...serverFields(realm, {}), ...belonging }),
    additionalProperties: false,
  }));
}

/** Those members of `_meta` that are among the server's fields. */
function metaProperties(fields: FieldTable): JsonObject {
  return Object.fromEntries(
    Object.entries(metaMembers).filter(([name]) => Object.hasOwn(fields, `_meta.${name}`)),
  );
}

/** What stands in `_meta`. */
const metaMembers: JsonObject = {
  created_at: timestamp,
  updated_at: timestamp,
  version: {
    type: "integer",
    minimum: 1,
    description: "1 on create, one more with every write; absent in documents older than versioning.",
  },
  owner: {
    type: ["string", "null"],
    description: "Id of the user who created it; null where an API key alone did.",
  },
  created_by: actor("Who created it"),
  updated_by: actor("Who made the last write"),
  org: { type: "string", description: "Id of its organization; absent where it belongs to none." },
  team: { type: "string", description: "Id of its team; absent where it belongs to none." },
  deleted_at: { ...timestamp, description: "Present on deleted documents only, as are the following." },
  deleted_by: actor("Who deleted it"),
  purge_at: { ...timestamp, description: "When it will be removed for good." },
  chain: {
    type: "object",
    description: "Only where a trigger's run wrote it last, or what that had run.",
    required: ["root", "depth"],
    properties: {
      root: { type: "string", description: "Id of the job that began it." },
      depth: { type: "integer", minimum: 1, description: "1 for the first run." },
    },
    additionalProperties: false,
  },
};
