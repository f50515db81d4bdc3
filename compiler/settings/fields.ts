/** `fields`: who may read and write single fields. How they compare is a matter of what they mean: compiler/diff/rules. */

import { didYouMean } from "../../runtime/suggest.ts";
import { imported } from "../../templates/print/code.ts";
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import { objectOf, present } from "../model/given.ts";
import { declaredField, fileAt, isHideable, isOpen, isServerOwned } from "../model/known-fields.ts";
import type { Collection, FieldRules } from "../model/model.ts";
import { ruleAt } from "../model/rule-source.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import { locate, type SourceFile } from "../source/source.ts";
import { ruleText } from "./rules.ts";
import { collectionSetting } from "./setting.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

const codes = {
  "field-rule-field": {
    severity: "warning",
    summary: "A field-level rule for a member that is not declared and looks like a declared field.",
    message: "'{field}' is not a declared field of {collection}",
    explanation:
      "Rules may be given to members that the schema does not declare, or declares no longer: they hold for what is stored. But a rule for a misspelt field protects nothing, least of all the field that was meant.",
    wrong: { "collection.yaml": "rules: { read: true }\nfields:\n  salery: { read: hasRole('hr') }" },
    right: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: { read: hasRole('hr') }" },
  },
  "field-rule-retired": {
    severity: "error",
    summary: "The entry retired: published for a field that is declared, or beside a rule.",
    message: "retired: published has no meaning here: {problem}",
    hint: "remove it; to show a declared field to all readers give it no read rule",
    explanation:
      "`retired: published` says of a member that the schema declares no longer that all readers of a document may see its stored value. Who may see a declared field is what its read rule says.",
    wrong: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: { retired: published }" },
    right: { "collection.yaml": "rules: { read: true }\nfields:\n  wage: { retired: published }" },
  },
  "field-rule-server": {
    severity: "error",
    summary: "A field-level rule for a field that the server owns.",
    message: "'{field}' belongs to the server; field rules are for fields of the schema",
    explanation: "`id` and `_meta` are part of every answer and cannot be written.",
    wrong: { "collection.yaml": "rules: { read: true }\nfields:\n  _meta.owner: { read: false }" },
    right: { "collection.yaml": "rules: { read: true }\nfields:\n  author_id: { read: false }" },
  },
  "field-rule-array": {
    severity: "error",
    summary: "A field-level rule for a path through an array.",
    message: "the path '{field}' passes through the array '{array}'; field rules cannot",
    hint: "give the rule to '{array}' as a whole",
    explanation: "Which element a rule spoke of would be unclear when elements move.",
    wrong: { "collection.yaml": "rules: { read: true }\nfields:\n  lines.cost: { read: hasRole('hr') }" },
    right: { "collection.yaml": "rules: { read: true }\nfields:\n  lines: { read: hasRole('hr') }" },
  },
  "field-rule-file": {
    severity: "error",
    summary: "A field-level rule for something inside of a file.",
    message: "'{field}' is part of the file '{file}', which is shown and uploaded as a whole",
    hint: "give the rule to '{file}'",
    explanation: "Who may read a file's field may read its object and download its bytes.",
    wrong: {
      "collection.yaml":
        "rules: { read: true }\nfiles:\n  photo: { accept: [image/png] }\nfields:\n  photo.name: { read: hasRole('hr') }",
    },
    right: {
      "collection.yaml":
        "rules: { read: true }\nfiles:\n  photo: { accept: [image/png] }\nfields:\n  photo: { read: hasRole('hr') }",
    },
  },
  "field-rule-empty": {
    severity: "error",
    summary: "A field-level rule that says nothing.",
    message: "neither read nor write is given for '{field}'",
    explanation: "The one not given is `true`, so this entry has no effect.",
    wrong: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: {}" },
    right: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: { read: hasRole('hr') }" },
  },
} as const satisfies Codes;

const diagnose = diagnoser(codes);

/**
 * Field rules do not pass through arrays. They may be for members that the schema does not declare (any more); those that look
 * like a declared field without a rule are warned of.
 */
const fieldRules: CollectionCheck = (subject) => {
  const { collection, collectionFile: file, label, realm } = subject;
  if (file === undefined || !realm.auth) return [];
  const named = [
    ...collection.fields.map(({ path }) => path),
    ...(collection.files ?? []).map(({ name }) => name),
  ];
  const unruled = named.filter((path) => !collection.fieldRules.some((rules) => rules.path === path));
  return collection.fieldRules.flatMap((rules) => {
    const { path: field, span } = rules;
    if (isServerOwned(field)) return [diagnose("field-rule-server", span, { field })];
    const array = declaredField(collection, field)?.arrays.find((path) => path !== field);
    if (array !== undefined) return [diagnose("field-rule-array", span, { field, array })];
    const inFile = fileAt(collection, field);
    if (inFile !== undefined && inFile !== field)
      return [diagnose("field-rule-file", span, { field, file: inFile })];
    if (isEmptyEntry(file, field) && isReliable(subject, ["fields", field]))
      return [diagnose("field-rule-empty", span, { field })];
    const isKnown = inFile !== undefined || declaredField(collection, field) !== undefined;
    if (isKnown || isOpen(collection, field)) return [];
    const hint = didYouMean(field, unruled);
    return hint === undefined
      ? []
      : [diagnose("field-rule-field", span, { field, collection: label }, { hint })];
  });
};

/** `retired: published` is for members that no rule could hide, and stands alone. */
const publishedFields: CollectionCheck = ({ collection, collectionFile: file, realm }) => {
  if (file === undefined || !realm.auth) return [];
  return (collection.published ?? []).flatMap(({ path: field, span }) => {
    if (isServerOwned(field)) return [diagnose("field-rule-server", span, { field })];
    const { read, write } = objectOf(objectOf(file.value.fields)[field]);
    const rule = read === undefined ? "write" : "read";
    if (read !== undefined || write !== undefined)
      return [diagnose("field-rule-retired", span, { problem: `it stands beside '${rule}'` })];
    if (!isHideable(collection, field)) return [];
    const problem =
      fileAt(collection, field) === undefined
        ? `the schema declares '${field}'`
        : `'${field}' is a file that documents have`;
    return [diagnose("field-rule-retired", span, { problem })];
  });
};

function isEmptyEntry(file: SourceFile, field: string): boolean {
  return Object.keys(objectOf(objectOf(file.value.fields)[field])).length === 0;
}

function fieldRulesOf(file: SourceFile): Pick<Collection, "fieldRules" | "published" | "fieldsSpan"> {
  const given = objectOf(file.value.fields);
  const entries = Object.keys(given)
    .sort()
    .map((path) => ({
      path,
      span: locate(file, ["fields", path], "key"),
      ...present({
        read: ruleAt(file, ["fields", path, "read"], "read"),
        write: ruleAt(file, ["fields", path, "write"], "write"),
      }),
    }));
  const isPublished = ({ path }: FieldRules): boolean => objectOf(given[path]).retired === "published";
  return {
    fieldRules: entries.filter((each) => !isPublished(each)),
    published: entries.filter(isPublished).map(({ path, span }) => ({ path, span })),
    fieldsSpan: locate(file, ["fields"], "key"),
  };
}

/** A field has the rule `true` by default. */
function textOf(rule: CompiledRule | undefined): boolean | "expression" {
  return rule === undefined || ruleText(rule);
}

export const fields = collectionSetting({
  codes,
  checks: [fieldRules, publishedFields],
  read: ({ file }) => fieldRulesOf(file),
  definition: ({ collection }) => ({
    fieldRules: collection.fieldRules.length === 0 ? undefined : imported("fieldRules", "./rules.ts"),
  }),
  effective: ({ compiled }) => ({
    fields: Object.fromEntries(
      compiled.fieldRules
        .map(({ path, read, write }) => [path, { read: textOf(read), write: textOf(write) }] as const)
        .filter(([, { read, write }]) => read !== true || write !== true),
    ),
  }),
});
