/** Documents of a file of rule tests, as they are stored. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { storedFields } from "../model/file-fields.ts";
import { objectOf } from "../model/given.ts";
import { declaredField } from "../model/known-fields.ts";
import type { Collection } from "../model/model.ts";
import { serverFields } from "../model/server-fields.ts";
import type { Path } from "../source/source.ts";
import { locate } from "../source/source.ts";
import { moment } from "./callers.ts";
import type { Misfits } from "./misfits.ts";
import { nameOf, type TestReading } from "./reading.ts";
import type { StoredValue, TestDocument } from "./rule-tests.ts";

/** In the order of the file. @param now what `created_at` is of those that do not say */
export function readDocuments(
  reading: TestReading,
  now: string,
  misfits: Misfits,
): ReadonlyMap<string, TestDocument> {
  const found = new Map<string, TestDocument>();
  for (const [name, value] of Object.entries(objectOf(reading.file.value.documents))) {
    const document = isJsonObject(value) ? documentOf(reading, name, value, now, misfits) : undefined;
    if (document !== undefined) found.set(name, document);
  }
  return found;
}

function documentOf(
  reading: TestReading,
  name: string,
  given: JsonObject,
  now: string,
  misfits: Misfits,
): TestDocument | undefined {
  const path = ["documents", name];
  const collection = reading.collection(reading.own === undefined ? given.collection : undefined, path);
  if (collection === undefined) return undefined;
  const isMark = given.unfit === true && declaredField(collection, "unfit") === undefined;
  const { id = name, _meta, ...rest } = given;
  const members = without(rest, reading.own === undefined ? "collection" : "", isMark ? "unfit" : "");
  if (!isMark) tellMisfits(reading, collection, members, path, misfits);
  if (typeof id !== "string") return undefined;
  const meta = metaOf(reading, collection, objectOf(_meta), [...path, "_meta"]);
  const value: StoredValue = { id, ...members, _meta: { ...unsaid(now, meta), ...meta } };
  return { name, collection: nameOf(collection), value, span: locate(reading.file, path, "key") };
}

function without(value: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Each member that does not fit the schema, at its place; of enumerations with what may have been meant. */
function tellMisfits(
  reading: TestReading,
  collection: Collection,
  members: JsonObject,
  path: Path,
  misfits: Misfits,
): void {
  for (const { path: field, reason } of misfits(collection, members)) {
    const hint = hintOf(collection, field, members) ?? "say unfit: true where that is meant";
    const problem = field === "" ? reason : `${field} ${reason}`;
    reading.report("rule-test-unfit", [...path, ...stepsOf(field)], { problem }, { hint });
  }
}

/** What may have been meant by a value of an enumeration, or by the name of a member. */
export function hintOf(collection: Collection, field: string, members: JsonObject): string | undefined {
  const value = members[field];
  const values = declaredField(collection, field)?.values;
  if (values !== undefined) return typeof value === "string" ? didYouMean(value, values) : undefined;
  if (value === undefined || field === "") return undefined;
  return didYouMean(
    field,
    storedFields(collection).map((each) => each.path),
  );
}

export function stepsOf(field: string): readonly string[] {
  return field === "" ? [] : field.split(".");
}

/** `_meta` as given; its moments in their stored form. */
function metaOf(reading: TestReading, collection: Collection, given: JsonObject, path: Path): JsonObject {
  const known = Object.keys(serverFields(reading.realm, collection)).flatMap((field) =>
    field.startsWith("_meta.") ? [field.slice("_meta.".length)] : [],
  );
  const all = [...new Set([...known, "version"].map((name) => name.split(".", 1)[0] ?? name))];
  for (const name of Object.keys(given)) reading.knows("member of _meta", name, all, [...path, name], "key");
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      name.endsWith("_at") ? (moment(value) ?? value) : value,
    ]),
  );
}

/** What every document has, where a test does not say it. */
function unsaid(now: string, { created_at: created = now, version = 1 }: JsonObject): JsonObject {
  return { created_at: created, updated_at: created, version };
}
