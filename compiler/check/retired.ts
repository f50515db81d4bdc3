/**
 * Fields whose read rule went with them: documents are answered as they are stored, so everybody would see what the rule hid
 * (configuration.md, collection.yaml).
 */
import { isWithin } from "../../runtime/filter/fields.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sorted } from "../diagnostics/sort.ts";
import { isHideable, isOpen } from "../model/known-fields.ts";
import type { Collection, Realm } from "../model/model.ts";
import { type Protection, protectionsIn } from "../model/protections.ts";
import { oneLine } from "../model/rule-source.ts";
import type { CompiledRules, RulesStage } from "../rules/compiled.ts";

/** What was built before: the files of the configuration, by their paths. */
export type Recorded = Readonly<Record<string, JsonObject>>;

/**
 * Fields of a realm that readers would see, since the read rules that were built before went with them. Nothing is said of
 * collections whose settings could not be read, as `told`, what was found before, has it.
 */
export function retiredFields(
  recorded: Recorded,
  realm: Realm,
  rules: RulesStage,
  told: readonly Diagnostic[],
): Diagnostic[] {
  // Without authentication everybody sees everything, and that was decided in realm.yaml.
  if (!realm.auth) return [];
  const collections = realm.databases.flatMap((database) => database.collections);
  const found = collections.flatMap((collection) => {
    const place = `${collection.database}/${collection.name}`;
    const settings = `${realm.name}/${place}/collection.yaml`;
    const protections = protectionsIn(recorded[settings]);
    const compiled = rules.collections.get(place);
    const isUnread = collection.fieldsSpan === undefined && told.some(({ span }) => span.file === settings);
    if (compiled === undefined || isUnread) return [];
    return exposed(protections, collection, compiled).map(({ path, read }) =>
      diagnose("retired-field-readable", collection.fieldsSpan ?? collection.span, {
        field: path,
        rule: oneLine(read),
      }),
    );
  });
  return sorted(found);
}

/**
 * The members that nothing hides any longer although the schema does not declare them: neither a read rule of their own, nor
 * the same rule (or `false`) of an object around them, nor is it said that they are published.
 */
export function exposed(
  before: readonly Protection[],
  collection: Collection,
  { fieldRules }: CompiledRules,
): readonly Protection[] {
  const published = (collection.published ?? []).map(({ path }) => path);
  return before.filter(({ path, read }) => {
    if (isHideable(collection, path) || isOpen(collection, path)) return false;
    if (published.some((each) => isWithin(path, each))) return false;
    return !collection.fieldRules.some((rules) => {
      if (rules.read === undefined || !isWithin(path, rules.path)) return false;
      const constant = fieldRules.find((each) => each.path === rules.path)?.read?.facts.constant;
      if (constant !== undefined) return !constant;
      return rules.path === path || oneLine(rules.read.text) === oneLine(read);
    });
  });
}
