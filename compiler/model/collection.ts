/** collection.yaml to the model. What is faulty there is left out: validation has said so. */

import type { JsonObject } from "../../runtime/json.ts";
import type { AggregateFunction } from "../../runtime/realm/definition.ts";
import { locate, type SourceFile } from "../source/source.ts";
import {
  anything,
  duration,
  flag,
  Given,
  number,
  object,
  objectOf,
  oneOf,
  present,
  publishedSchemas,
  someOf,
  text,
  texts,
} from "./given.ts";
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

/** @param database of the collection, which references without one mean; `schema`: of collection.yaml */
export function collectionSettings(
  file: SourceFile | undefined,
  database: string,
  schema: JsonObject = publishedSchemas.collection,
): CollectionSettings {
  if (file === undefined) return { rules: {}, fieldRules: [], references: [] };
  const given = new Given(file.value, schema);
  return {
    rules: rulesOf(file),
    ...fieldRulesOf(file),
    references: referencesOf(file, given, database),
    ...expandOf(file, given),
    ...aggregateOf(file, given),
    ...cacheOf(file, given),
    ...(given.read("realtime", flag) ? { realtime: { span: locate(file, ["realtime"], "key") } } : {}),
    ...softDeleteOf(given),
    ...customIdOf(file, given),
    ...organizationOf(given),
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

function expandOf(file: SourceFile, given: Given): Pick<Collection, "expand"> {
  if (given.find("expand", object) === undefined) return {};
  const expand = given.in("expand");
  const limits = present({
    maxDepth: expand.find("max_depth", number),
    maxPaths: expand.find("max_paths", number),
    maxArray: expand.find("max_array", number),
    maxDocs: expand.find("max_docs", number),
  });
  return { expand: { ...limits, span: locate(file, ["expand"]) } };
}

/** In the order in which they are emitted. */
const aggregateFunctions: readonly AggregateFunction[] = ["sum", "avg", "min", "max", "distinct"];

function aggregateOf(file: SourceFile, given: Given): Pick<Collection, "aggregate"> {
  if (given.find("aggregate", object) === undefined) return {};
  const aggregate = given.in("aggregate");
  const functionsOf = someOf(...aggregateFunctions);
  return {
    aggregate: {
      groupBy: aggregate.read("group_by", texts),
      metrics: Object.entries(aggregate.read("metrics", object))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([path, functions = []]) => ({ path, functions: functionsOf(functions) ?? [] })),
      span: locate(file, ["aggregate"]),
    },
  };
}

function cacheOf(file: SourceFile, given: Given): Pick<Collection, "publicCache"> {
  const cache = given.in("cache");
  const maxAge = cache.find("max_age", number);
  if (cache.find("public", flag) !== true || maxAge === undefined) return {};
  return { publicCache: { maxAge, span: locate(file, ["cache"]) } };
}

function softDeleteOf(given: Given): Pick<Collection, "softDelete"> {
  const value = given.read("soft_delete", anything);
  if (value !== true && object(value) === undefined) return {};
  return { softDelete: present({ retention: given.in("soft_delete").find("retention", duration) }) };
}

function customIdOf(file: SourceFile, given: Given): Pick<Collection, "customId"> {
  const value = given.read("custom_id", anything);
  if (value !== true && value !== "user" && object(value) === undefined) return {};
  const settings = given.in("custom_id");
  return {
    customId: {
      ...(value === "user" ? { is: value } : {}),
      ...present({ pattern: settings.find("pattern", text) }),
      duplicateLimit: settings.read("duplicate_limit", number),
      span: locate(file, ["custom_id"]),
    },
  };
}

function organizationOf(given: Given): Pick<Collection, "organization"> {
  const organization = given.find("organization", oneOf("required", "optional"));
  if (organization === undefined) return {};
  return {
    organization: {
      required: organization === "required",
      ...present({ teams: given.find("teams", oneOf("required", "optional")) }),
      onDelete: given.read("on_org_delete", oneOf("delete", "keep")),
    },
  };
}
