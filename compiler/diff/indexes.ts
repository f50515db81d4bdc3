/** Indexes over fields: the unique ones refuse writes, the others serve queries. */
import type { Collection, Index } from "../model/model.ts";
import type { Report } from "./catalogue.ts";

export function compareIndexes(old: Collection, now: Collection, place: string, report: Report): void {
  const [before, after] = [distinct(old), distinct(now)];
  for (const [key, index] of after) {
    if (before.has(key)) continue;
    const check = index.unique ? "unique-index-added" : "index-added";
    report(check, `${place} indexes.${index.name}`, { fields: fieldsOf(index) });
  }
  for (const [key, index] of before) {
    if (after.has(key)) continue;
    const check = index.unique ? "unique-index-removed" : "index-removed";
    report(check, `${place} indexes.${index.name}`, { fields: fieldsOf(index) });
  }
}

/** By what they do: the order of a unique index's fields, and the names of indexes, mean nothing to clients. */
function distinct({ indexes }: Collection): ReadonlyMap<string, Index> {
  return new Map(indexes.map((index) => [keyOf(index), index]));
}

function keyOf({ unique, fields }: Index): string {
  return unique
    ? JSON.stringify(["unique", ...fields.map(({ path }) => path).sort()])
    : JSON.stringify(fields.map(({ path, descending }) => [path, descending]));
}

function fieldsOf({ fields }: Index): string {
  return fields.map(({ path, descending }) => `${descending ? "-" : ""}${path}`).join(", ");
}
