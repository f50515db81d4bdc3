/** What documents that are sent, and queries, name of a collection that it does not have. */

import { isWithin } from "../../runtime/filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { mergePatch } from "../../runtime/merge-patch.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { storedFields } from "../model/file-fields.ts";
import { isOpen, isServerOwned, knownField } from "../model/known-fields.ts";
import type { Collection } from "../model/model.ts";
import { serverFields } from "../model/server-fields.ts";
import { withDefaultsOf } from "../settings/defaults.ts";
import type { Path } from "../source/source.ts";
import { hintOf, stepsOf } from "./documents.ts";
import type { Misfits } from "./misfits.ts";
import type { TestReading } from "./reading.ts";
import type { Expected } from "./rule-tests.ts";

/**
 * What is to be allowed has to fit the schema. What is to be refused may be refused for that as well, but not for a slip, of
 * which there is another name that was meant: the test would pass and say nothing of the rules.
 * @param before what a patch is merged into
 */
export function checkBody(
  reading: TestReading,
  collection: Collection,
  body: JsonObject,
  path: Path,
  expected: Expected,
  misfits: Misfits,
  before: JsonObject = {},
): void {
  if (expected.decision === "deny" && expected.status === 400) return;
  const isPatch = Object.keys(before).length > 0;
  const members = isPatch ? own(mergePatch(own(before), own(body))) : withDefaultsOf(collection, own(body));
  const already = new Set(misfits(collection, own(before)).map((each) => each.path));
  for (const { path: field, reason } of misfits(collection, members)) {
    if (isPatch && already.has(field)) continue;
    const problem = field === "" ? reason : `${field} ${reason}`;
    const hint = hintOf(collection, field, members);
    if (hint === undefined && expected.decision === "deny") continue;
    reading.report("rule-test-data", [...path, ...stepsOf(field)], { problem }, { hint });
  }
}

/** Without what belongs to the server. */
function own(document: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !isServerOwned(name)));
}

/** Tells of a path that is no field's, nor that of an object around fields. */
export function checkField(reading: TestReading, collection: Collection, field: string, path: Path): void {
  const known = fieldsOf(reading, collection);
  const around = known.some((each) => isWithin(each, field));
  if (!around && !isOpen(collection, field)) reading.knows("field", field, known, path);
}

function fieldsOf({ realm }: TestReading, collection: Collection): readonly string[] {
  return [
    ...storedFields(collection).map((each) => each.path),
    ...collection.fieldRules.map((each) => each.path),
    ...(collection.published ?? []).map((each) => each.path),
    ...Object.keys(serverFields(realm, collection)),
  ];
}

/** Fields, and values of enumerations, in `where` and `order_by`; all else is told by the query itself. */
export function checkQuery(
  reading: TestReading,
  collection: Collection,
  given: JsonObject,
  path: Path,
): void {
  if (isJsonObject(given.where)) checkWhere(reading, collection, given.where, [...path, "where"]);
  if (typeof given.order_by !== "string" || given.order_by === "_relevance") return;
  for (const entry of given.order_by.split(",")) {
    const field = entry.replace(/^-/, "");
    if (!isOpen(collection, field))
      reading.knows("field", field, fieldsOf(reading, collection), [...path, "order_by"]);
  }
}

function checkWhere(reading: TestReading, collection: Collection, where: JsonObject, path: Path): void {
  for (const [key, value] of Object.entries(where)) {
    const place = [...path, key];
    if (key === "$and" || key === "$or") {
      const parts: readonly JsonValue[] = Array.isArray(value) ? value : [];
      for (const [at, part] of parts.entries())
        if (isJsonObject(part)) checkWhere(reading, collection, part, [...place, at]);
    } else if (!key.startsWith("$") && !isOpen(collection, key)) {
      const isKnown = reading.knows("field", key, fieldsOf(reading, collection), place, "key");
      if (isKnown) checkValues(reading, collection, key, value ?? null, place);
    }
  }
}

function checkValues(
  reading: TestReading,
  collection: Collection,
  field: string,
  value: JsonValue,
  path: Path,
): void {
  const values = knownField(reading.realm, collection, field)?.values;
  if (values === undefined) return;
  for (const [at, each] of compared(value, path)) {
    if (typeof each !== "string" || values.includes(each)) continue;
    const hint = didYouMean(each, values) ?? `there are: ${values.join(", ")}`;
    reading.report("rule-test-unknown", at, { what: `value of ${field}`, name: each }, { hint });
  }
}

/** What a field is compared with, with its place. */
function compared(value: JsonValue, path: Path): readonly (readonly [Path, JsonValue])[] {
  if (!isJsonObject(value)) return [[path, value]];
  return ["$eq", "$ne", "$in", "$nin"].flatMap((operator) => {
    const operand = value[operator];
    if (operand === undefined) return [];
    const items: readonly JsonValue[] = Array.isArray(operand) ? operand : [operand];
    return items.map(
      (item, at) => [Array.isArray(operand) ? [...path, operator, at] : [...path, operator], item] as const,
    );
  });
}
