import type { Collection } from "../../../compiler/model/model.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { capitalized } from "../../print/names.ts";
import type { CollectionSchemas } from "./collection.ts";
import type { MadeSchemas } from "./contracted.ts";
import type { Ref, SchemaPool } from "./pool.ts";

export interface BatchMember {
  readonly collection: Collection;
  readonly stem: string;
  readonly schemas: CollectionSchemas;
}

/** Request and response of a database's `_batch`: operations told apart by `collection` and `op`. */
export function batchSchemas(pool: SchemaPool, stem: string, members: readonly BatchMember[]): MadeSchemas {
  const operations = members.flatMap((member) => operationsOf(pool, member));
  const deleted = pool.share("DeletedDocument", () => ({
    type: "object",
    description: "The result of a delete.",
    required: ["id"],
    properties: { id: { type: "string" } },
    additionalProperties: false,
  }));
  return {
    BatchRequest: pool.add(`${stem}BatchRequest`, {
      type: "object",
      required: ["operations"],
      properties: { operations: { type: "array", minItems: 1, maxItems: 100, items: { oneOf: operations } } },
      additionalProperties: false,
    }),
    BatchResponse: pool.add(`${stem}BatchResponse`, {
      type: "object",
      required: ["results"],
      properties: {
        results: {
          type: "array",
          description: "One for each operation, in order.",
          items: { anyOf: [...members.map(({ schemas }) => schemas.Document), deleted] },
        },
      },
    }),
  };
}

function operationsOf(pool: SchemaPool, { collection, stem, schemas }: BatchMember): readonly Ref[] {
  const operation = (op: string, required: readonly string[], members: JsonObject): Ref =>
    pool.add(`${stem}${capitalized(op)}Operation`, {
      type: "object",
      required: ["op", "collection", ...required],
      properties: {
        op: { type: "string", const: op },
        collection: { type: "string", const: collection.name },
        ...members,
      },
      additionalProperties: false,
    });
  const id = { type: "string" };
  const existing = {
    id,
    if_match: { type: "string", description: "As the `If-Match` header; also a bare version: `3`." },
  };
  return [
    collection.customId
      ? operation("create", ["id", "document"], { id, document: schemas.input })
      : operation("create", ["document"], { document: schemas.input }),
    operation("replace", ["id", "document"], { ...existing, document: schemas.Replace }),
    operation("patch", ["id", "patch"], { ...existing, patch: schemas.Patch }),
    operation("delete", ["id"], existing),
  ];
}
