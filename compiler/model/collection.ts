/** collection.yaml to the model. What is faulty there is left out: validation has said so. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { AggregateFunction } from "../../runtime/realm/definition.ts";
import { parseDuration } from "../../runtime/units.ts";
import { locate, type SourceFile } from "../source/source.ts";
import type { Collection, FieldRules, Reference, RuleName, RuleSource } from "./model.ts";
import { ruleAt } from "./rule-source.ts";

export type CollectionSettings = Pick<
  Collection,
  | "rules"
  | "fieldRules"
  | "published"
  | "fieldsSpan"
  | "references"
  | "expand"
  | "aggregate"
  | "publicCache"
  | "realtime"
  | "softDelete"
  | "customId"
  | "organization"
>;

const ruleNames: readonly RuleName[] = ["create", "read", "update", "delete", "restore", "purge"];
/** What `write` is short for. */
const writeRules: readonly RuleName[] = ["create", "update", "delete"];

/** `database`: of the collection, which references without one mean. */
export function collectionSettings(file: SourceFile | undefined, database: string): CollectionSettings {
  if (file === undefined) return { rules: {}, fieldRules: [], references: [] };
  return {
    rules: rulesOf(file),
    ...fieldRulesOf(file),
    references: referencesOf(file, database),
    ...expandOf(file),
    ...aggregateOf(file),
    ...cacheOf(file),
    ...(file.value.realtime === true ? { realtime: { span: locate(file, ["realtime"], "key") } } : {}),
    ...softDeleteOf(file.value.soft_delete),
    ...customIdOf(file),
    ...organizationOf(file.value),
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

function fieldRulesOf(
  file: SourceFile,
): Required<Pick<Collection, "fieldRules" | "published" | "fieldsSpan">> {
  const given = objectOf(file.value.fields);
  const entries = Object.keys(given)
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
  const isPublished = ({ path }: FieldRules): boolean => objectOf(given[path]).retired === "published";
  return {
    fieldRules: entries.filter((each) => !isPublished(each)),
    published: entries.filter(isPublished).map(({ path, span }) => ({ path, span })),
    fieldsSpan: locate(file, ["fields"], "key"),
  };
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

function expandOf(file: SourceFile): Pick<Collection, "expand"> {
  const { expand } = file.value;
  if (!isJsonObject(expand)) return {};
  const { max_depth: maxDepth, max_paths: maxPaths, max_array: maxArray, max_docs: maxDocs } = expand;
  return {
    expand: {
      ...(typeof maxDepth === "number" ? { maxDepth } : {}),
      ...(typeof maxPaths === "number" ? { maxPaths } : {}),
      ...(typeof maxArray === "number" ? { maxArray } : {}),
      ...(typeof maxDocs === "number" ? { maxDocs } : {}),
      span: locate(file, ["expand"]),
    },
  };
}

/** In the order in which they are emitted. */
const aggregateFunctions: readonly AggregateFunction[] = ["sum", "avg", "min", "max", "distinct"];

function aggregateOf(file: SourceFile): Pick<Collection, "aggregate"> {
  const { aggregate } = file.value;
  if (!isJsonObject(aggregate)) return {};
  const metrics = objectOf(aggregate.metrics);
  return {
    aggregate: {
      groupBy: stringsOf(aggregate.group_by),
      metrics: Object.keys(metrics)
        .sort()
        .map((path) => {
          const named = stringsOf(metrics[path]);
          return { path, functions: aggregateFunctions.filter((each) => named.includes(each)) };
        }),
      span: locate(file, ["aggregate"]),
    },
  };
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

function organizationOf({
  organization,
  teams,
  on_org_delete: onDelete,
}: JsonObject): Pick<Collection, "organization"> {
  if (organization !== "required" && organization !== "optional") return {};
  return {
    organization: {
      required: organization === "required",
      ...(teams === "required" || teams === "optional" ? { teams } : {}),
      onDelete: onDelete === "delete" ? "delete" : "keep",
    },
  };
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
