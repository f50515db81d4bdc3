/** A collection as the server would know it, its rules evaluated as they stand rather than emitted. */
import { dateNormalizer } from "../../runtime/filter/dates.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import type { Collection, Realm } from "../model/model.ts";
import { filterOf } from "../plans/filters.ts";
import { fieldAt, fieldTable } from "../plans/shapes.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";
import { holds, type World } from "../rules/form/evaluate.ts";
import { schemaValidator } from "../schema/validator.ts";
import { evaluatedDefaults } from "../settings/defaults.ts";

/** What the server's own checks ask of a collection: they refuse what they would refuse of one that was emitted. */
export function evaluatedDefinition(
  realm: Realm,
  collection: Collection,
  { rules, fieldRules }: CompiledRules,
): CollectionDefinition {
  const { database, name, softDelete, organization, customId, files } = collection;
  const fields = fieldTable(realm, collection);
  const dates = collection.fields.filter(({ kinds }) => kinds.some((kind) => /^date/.test(kind)));
  const { create, read, update, delete: remove, restore, purge } = rules;
  return {
    realm: realm.name,
    database,
    name,
    fields,
    indexes: [],
    validate: schemaValidator(collection.schema),
    ...evaluatedDefaults(collection),
    ...(dates.length > 0 && {
      normalizeDates: dateNormalizer(...dates.map(({ path }) => fieldAt(realm, collection, path))),
    }),
    ...(realm.auth && {
      rules: {
        ...(create && { create: writeRule(create) }),
        ...(read && { read: readRule(read) }),
        ...(update && { update: writeRule(update) }),
        ...(remove && { delete: writeRule(remove) }),
        ...(restore && { restore: readRule(restore) }),
        ...(purge && { purge: writeRule(purge) }),
      },
    }),
    ...(fieldRules.length > 0 && {
      fieldRules: fieldRules.map(({ path, read: shown, write: written }) => ({
        path: path.split("."),
        ...(shown && { read: fieldReadRule(shown) }),
        ...(written && { write: writeRule(written) }),
      })),
    }),
    ...(softDelete !== undefined && { softDelete }),
    ...(organization !== undefined && { organization }),
    ...(customId !== undefined && {
      customId: {
        duplicateLimit: customId.duplicateLimit,
        ...(customId.is !== undefined && { is: customId.is }),
        ...(customId.pattern !== undefined && { pattern: new RegExp(customId.pattern, "u") }),
      },
    }),
    ...(files !== undefined && { files }),
  };

  function readRule(rule: CompiledRule) {
    const { filter = rule.form.condition } = rule.form;
    // Else the filter says whether there may be any.
    const possible = rule.facts.memberships ? { possible: possibleBy(rule) } : {};
    return { ...possible, filter: filterOf(filter, fields), ...fieldReadRule(rule) };
  }
}

function fieldReadRule(rule: CompiledRule) {
  return {
    check: (context: RuleContext, document: JsonObject) =>
      holdsFor(rule, { context, document, data: undefined }),
  };
}

function writeRule(rule: CompiledRule) {
  return {
    possible: possibleBy(rule),
    check: (context: RuleContext, document: JsonObject | undefined, data: JsonObject) =>
      holdsFor(rule, { context, document, data }),
  };
}

function possibleBy({ form }: CompiledRule) {
  return (context: RuleContext) => holds(form.possible, { context, document: undefined, data: undefined });
}

function holdsFor({ form }: CompiledRule, world: World): boolean {
  return holds(form.condition, world);
}
