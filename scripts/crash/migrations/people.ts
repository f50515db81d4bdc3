/** A collection whose documents have two migrations before them, and what becomes of each. */
import { documentFields, field } from "../../../runtime/filter/fields.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import type { DocumentWrite } from "../../../runtime/store/contract/document.ts";
import { oldDocument } from "../../before-migrations.ts";

/** One that is applied twice refuses, or counts too far. */
const forward = (number: 1 | 2) => (document: JsonObject) => {
  const { name, steps = 0, ...rest } = document;
  if (steps !== number - 1) throw new Error(`${steps} steps before ${number}`);
  if (number === 2) return { ...rest, steps: number };
  const [first = "", last = ""] = String(name).split(" ");
  return { ...rest, first, last, steps: number };
};

export function people(realm: string): CollectionDefinition {
  return {
    ...{ realm, database: "main", name: "people", indexes: [] },
    fields: { ...documentFields, name: field("name", "string"), steps: field("steps", "integer") },
    validate: (document) => isWhole(Object(document)),
    migrations: [
      { number: "0001", name: "split", forward: forward(1) },
      { number: "0002", name: "count", forward: forward(2) },
    ],
  };
}

function isWhole({ name, first, last, steps }: JsonObject): boolean {
  return name === undefined && typeof first === "string" && typeof last === "string" && steps === 2;
}

export function oldPerson(id: string): DocumentWrite {
  return oldDocument(id, { name: `first-${id} last-${id}` });
}
