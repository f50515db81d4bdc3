import type { JsonObject } from "../../../../runtime/json.ts";
import type { Collection, Realm } from "../../../model/model.ts";
import type { CompiledRules } from "../../../rules/compiled.ts";
import { listSchema } from "../build.ts";
import { documentView, type View } from "./document-view.ts";
import { patchView } from "./patch-view.ts";
import { placeOf } from "./place.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** The schemas by which a collection's documents travel. */
export interface CollectionSchemas {
  /** As a client writes it whole: schema.json itself. */
  readonly input: Ref;
  readonly create: Ref;
  readonly replace: Ref;
  readonly patch: Ref;
  /** As it is returned. */
  readonly document: Ref;
  readonly page: Ref;
}

/**
 * @param stem For the names: `TicketsInput`, `TicketsCreate` (where an id is sent along), `TicketsReplace` (where field
 *   rules let members be left out), `TicketsPatch`, `TicketsDocument`, `TicketsPage`.
 */
export function collectionSchemas(
  pool: SchemaPool,
  realm: Realm,
  collection: Collection,
  rules: CompiledRules | undefined,
  stem: string,
): CollectionSchemas {
  const place = placeOf(collection.schema);
  const hidden = (rules?.fieldRules ?? [])
    .filter(({ read }) => read && read.facts.constant !== true)
    .map(({ path }) => path.split("."));

  const input = pool.addPlace(`${stem}Input`, place);
  const id = collection.customId && customIdSchema(collection.customId);
  const create = id
    ? pool.add(
        `${stem}Create`,
        untitled(documentView(pool, place, { ...asWritten, added: { id }, required: ["id"] })),
      )
    : input;
  // What a caller cannot read is kept where a replacement leaves it out.
  const replace =
    hidden.length > 0
      ? pool.add(`${stem}Replace`, untitled(documentView(pool, place, { ...asWritten, optional: hidden })))
      : input;
  const patch = pool.add(`${stem}Patch`, untitled({ type: "object", ...patchView(pool, place) }));
  const document = pool.add(
    `${stem}Document`,
    documentView(pool, place, {
      added: { id: { type: "string" }, _meta: meta(pool, realm, collection) },
      required: ["id", "_meta"],
      optional: hidden,
      open: true,
    }),
  );
  return { input, create, replace, patch, document, page: page(pool, stem, document) };
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
  const further = {
    limit: { type: "integer", description: "Page size used." },
    skip: { type: "integer", description: "Offset used." },
    has_more: { type: "boolean", description: "Whether documents exist beyond this page." },
    total: { type: "integer", description: "Only with `count=true`." },
  };
  return pool.add(`${stem}Page`, listSchema(document, further, ["limit", "skip", "has_more"]));
}

/** Names of the schemas of `_meta`. */
export const metaKinds = ["Meta", "DeletableMeta", "RetainedMeta"] as const;

const timestamp = { type: "string", format: "date-time" };

/** `_meta` as documents of the collection have it; one component for each kind that the realm has. */
function meta(pool: SchemaPool, realm: Realm, collection: Collection): Ref {
  const actor = (what: string): JsonObject => ({
    type: "string",
    description: `${what}: \`user:<id>\`, \`key:<name>\` or \`anonymous\`.`,
  });
  const ownership: JsonObject = {
    owner: {
      type: ["string", "null"],
      description: "Id of the user who created it; null where an API key alone did.",
    },
    created_by: actor("Who created it"),
    updated_by: actor("Who made the last write"),
  };
  const deletion: JsonObject = {
    deleted_at: { ...timestamp, description: "Present on deleted documents only, as are the following." },
    ...(realm.auth && { deleted_by: actor("Who deleted it") }),
    ...(collection.softDelete?.retention !== undefined && {
      purge_at: { ...timestamp, description: "When it will be removed for good." },
    }),
  };
  const { softDelete } = collection;
  const kind = !softDelete ? "Meta" : softDelete.retention === undefined ? "DeletableMeta" : "RetainedMeta";
  return pool.share(kind, {
    type: "object",
    description: "Kept by the server; ignored in what clients send.",
    required: ["created_at", "updated_at"],
    properties: {
      created_at: timestamp,
      updated_at: timestamp,
      version: {
        type: "integer",
        minimum: 1,
        description: "1 on create, one more with every write; absent in documents older than versioning.",
      },
      ...(realm.auth && ownership),
      ...(collection.softDelete && deletion),
    },
    additionalProperties: false,
  });
}
