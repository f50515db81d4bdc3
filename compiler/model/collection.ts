/** collection.yaml and indexes.json to the model. What is faulty there is left out: validation has said so. */
import { createHash } from "node:crypto";
import { parseDuration } from "../../runtime/instance/units.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { locate, type SourceFile } from "../load/source.ts";
import type { Collection, FieldRules, Index, Reference, RuleName, RuleSource } from "./model.ts";
import { ruleAt } from "./rule-source.ts";

export type CollectionSettings = Pick<
  Collection,
  "rules" | "fieldRules" | "references" | "publicCache" | "softDelete" | "customId"
>;

const ruleNames: readonly RuleName[] = ["create", "read", "update", "delete", "restore", "purge"];
/** What `write` is short for. */
const writeRules: readonly RuleName[] = ["create", "update", "delete"];

/** `database`: of the collection, which references without one mean. */
export function collectionSettings(file: SourceFile | undefined, database: string): CollectionSettings {
  if (file === undefined) return { rules: {}, fieldRules: [], references: [] };
  return {
    rules: rulesOf(file),
    fieldRules: fieldRulesOf(file),
    references: referencesOf(file, database),
    ...cacheOf(file),
    ...softDeleteOf(file.value.soft_delete),
    ...customIdOf(file),
  };
}

function rulesOf(file: SourceFile): Collection["rules"] {
  const given = objectOf(file.value.rules);
  const rules: Partial<Record<RuleName, RuleSource>> = {};
  for (const name of ruleNames) {
    const key = given[name] === undefined && writeRules.includes(name) ? "write" : name;
    const rule = ruleAt(file, ["rules", key], key);
    if (rule !== undefined) rules[name] = rule;
  }
  return rules;
}

function fieldRulesOf(file: SourceFile): FieldRules[] {
  return Object.keys(objectOf(file.value.fields))
    .sort()
    .map((path) => {
      const read = ruleAt(file, ["fields", path, "read"], "read");
      const write = ruleAt(file, ["fields", path, "write"], "write");
      return {
        path,
        span: locate(file, ["fields", path], "key"),
        ...(read === undefined ? {} : { read }),
        ...(write === undefined ? {} : { write }),
      };
    });
}

function referencesOf(file: SourceFile, database: string): Reference[] {
  const given = objectOf(file.value.references);
  return Object.keys(given)
    .sort()
    .flatMap((name) => {
      const settings = given[name];
      if (!isJsonObject(settings) || typeof settings.collection !== "string") return [];
      const { max_expand: maxExpand } = settings;
      return [
        {
          name,
          database: textOf(settings.database) ?? database,
          collection: settings.collection,
          field: textOf(settings.field) ?? name,
          key: textOf(settings.key) ?? "id",
          many: settings.many === true,
          ...(typeof maxExpand === "number" ? { maxExpand } : {}),
          span: locate(file, ["references", name], "key"),
        },
      ];
    });
}

function cacheOf(file: SourceFile): Pick<Collection, "publicCache"> {
  const { public: isPublic, max_age: maxAge } = objectOf(file.value.cache);
  if (isPublic !== true || typeof maxAge !== "number") return {};
  return { publicCache: { maxAge, span: locate(file, ["cache"]) } };
}

function softDeleteOf(value: JsonValue | undefined): Pick<Collection, "softDelete"> {
  if (value === true) return { softDelete: {} };
  if (!isJsonObject(value)) return {};
  const retention = parseDuration(textOf(value.retention) ?? "");
  return { softDelete: retention === undefined ? {} : { retention } };
}

/** `id_taken` answers that a caller may get in a minute, unless said otherwise. */
const DUPLICATE_LIMIT = 20;

function customIdOf(file: SourceFile): Pick<Collection, "customId"> {
  const value = file.value.custom_id;
  const span = locate(file, ["custom_id"]);
  if (value === true) return { customId: { duplicateLimit: DUPLICATE_LIMIT, span } };
  if (value === "user") return { customId: { is: "user", duplicateLimit: DUPLICATE_LIMIT, span } };
  if (!isJsonObject(value)) return {};
  const { pattern, duplicate_limit: limit } = value;
  return {
    customId: {
      ...(typeof pattern === "string" ? { pattern } : {}),
      duplicateLimit: typeof limit === "number" ? limit : DUPLICATE_LIMIT,
      span,
    },
  };
}

/** In the order of the file, which is that of their making. */
export function indexesOf(file: SourceFile | undefined): Index[] {
  const list = file?.value.indexes;
  if (file === undefined || !Array.isArray(list)) return [];
  return list.flatMap((value: JsonValue, at) => {
    const fields = isJsonObject(value) ? stringsOf(value.fields).map(indexField) : [];
    if (!isJsonObject(value) || fields.length === 0) return [];
    return [
      {
        name: textOf(value.name) ?? indexName(fields),
        fields,
        unique: value.unique === true,
        span: locate(file, ["indexes", at]),
      },
    ];
  });
}

function indexField(text: string): Index["fields"][number] {
  return text.startsWith("-") ? { path: text.slice(1), descending: true } : { path: text, descending: false };
}

/** Characters that an index name may have. */
const MAX_INDEX_NAME = 63;

/** `status_due_at`: the fields' names; shortened with a hash where they are too long together. */
function indexName(fields: Index["fields"]): string {
  const joined = fields.map(({ path }) => path).join("_");
  const name = joined.replace(/[^A-Za-z0-9_]/g, "_");
  if (name.length <= MAX_INDEX_NAME) return name;
  const hash = createHash("sha256").update(joined).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_INDEX_NAME - 9)}_${hash}`;
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function stringsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each: JsonValue) => typeof each === "string") : [];
}
