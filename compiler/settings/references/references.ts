/** `references`: fields that hold ids of documents in other collections. */
import { flag, type Given, number, present, text } from "../../model/given.ts";
import type { Collection, Reference } from "../../model/model.ts";
import { locate, type SourceFile } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import { limitChange } from "../limits.ts";
import { collectionSetting, fieldCode } from "../setting.ts";
import { pairs } from "../words.ts";
import { references as sound } from "./checks.ts";
import { codes } from "./codes.ts";
import { changes as expansionChanges } from "./expand.ts";

const changes = {
  ...expansionChanges,
  "reference-removed": {
    kind: "breaking",
    message: "the reference is gone: expand={name} is refused",
    why: "Requests that expand it are refused (`invalid_expand`).",
  },
  "reference-added": {
    kind: "additive",
    message: "the reference is new: expand={name}",
    why: "Nobody expands it yet.",
  },
  "reference-changed": {
    kind: "breaking",
    message: "{what} was {old} and is {new}",
    why: "What stands in `_expanded` is something else.",
  },
} as const satisfies Changes;

function referencesOf(file: SourceFile, given: Given, database: string): Reference[] {
  return given
    .in("references")
    .named()
    .flatMap(([name, reference]) => {
      const collection = reference.find("collection", text);
      if (collection === undefined) return [];
      return [
        {
          name,
          database: reference.find("database", text) ?? database,
          collection,
          field: reference.find("field", text) ?? name,
          key: reference.read("key", text),
          many: reference.read("many", flag),
          ...present({ maxExpand: reference.find("max_expand", number) }),
          span: locate(file, ["references", name], "key"),
        },
      ];
    });
}

function compare(old: Collection, now: Collection, place: string, report: Report<typeof changes>): void {
  for (const { name, before, after } of pairs(old.references, now.references)) {
    const where = `${place} references.${name}`;
    if (after === undefined) report("reference-removed", where, { name });
    else if (before === undefined) report("reference-added", where, { name });
    else compareReference(before, after, where, report);
  }
}

function compareReference(
  old: Reference,
  now: Reference,
  where: string,
  report: Report<typeof changes>,
): void {
  const described = (reference: Reference) => ({
    "the target": `${reference.database}/${reference.collection}`,
    "the source": reference.field,
    "the target's field": reference.key,
    "what it holds": reference.many ? "many" : "one",
  });
  const after = Object.entries(described(now));
  for (const [at, [what, before]] of Object.entries(described(old)).entries()) {
    const [, value = before] = after[at] ?? [];
    if (value !== before) report("reference-changed", where, { what, old: before, new: value });
  }
  const change = limitChange(old.maxExpand, now.maxExpand);
  if (change !== undefined) report(`expansion-${change.way}`, `${where}.max_expand`, change.limits);
}

export const references = collectionSetting({
  chapter: "References",
  codes,
  changes,
  checks: [sound],
  compare,
  read: ({ file, given, database }): Pick<Collection, "references"> => ({
    references: referencesOf(file, given, database),
  }),
  definition: ({ collection: { references: declared } }) => ({
    references:
      declared.length === 0
        ? undefined
        : Object.fromEntries(
            declared.map(({ name, database, collection, field, key, many, maxExpand }) => [
              name,
              { database, collection, field: fieldCode(field), key, many, maxExpand },
            ]),
          ),
  }),
  effective: ({ collection: { references: declared, expand } }) => ({
    references: Object.fromEntries(
      declared.map(({ name, database, collection, field, key, many, maxExpand = expand?.maxArray }) => [
        name,
        { database, collection, field, key, many, ...(many && present({ max_expand: maxExpand })) },
      ]),
    ),
  }),
});
