/** Defaults of schemas: those that nothing applies, and those that could not be. */
import { isJsonObject } from "../../../runtime/json.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { allWithin, EndlessDefault, type MemberPreset, presetValue } from "../../schema/defaults.ts";
import {
  isPart,
  keyOf,
  type Part,
  type Place,
  placeOf,
  referred,
  type Schema,
  schemaKeys,
} from "../../schema/place.ts";
import { validatorFunction } from "../../schema/validator.ts";
import { childrenOf, schemasIn } from "../../schema/walk.ts";
import { appliedIn, diagnose } from "../../settings/defaults.ts";
import {
  type CollectionCheck,
  type CollectionSubject,
  isReliable,
  type RealmSubject,
} from "../../settings/subject.ts";
import { pointerOf } from "../../source/source.ts";
import { refutation, shown } from "./fit/refutation.ts";
import { spanAt } from "./spans.ts";

/** The defaults that documents of these collections are given, by the places of their schemas. */
export function appliedDefaults(collections: readonly CollectionSubject[]): ReadonlySet<string> {
  return new Set(collections.flatMap((each) => presetsIn(each).map(({ preset }) => keyOf(preset))));
}

interface Applied extends MemberPreset {
  readonly name: string;
  readonly preset: Part;
}

function presetsIn({ collection }: CollectionSubject): readonly Applied[] {
  const root = appliedIn(collection);
  if (root === undefined) return [];
  return [...allWithin(root)].flatMap(({ members }) =>
    [...members].flatMap(([name, member]) =>
      member.preset === undefined ? [] : [{ ...member, name, preset: member.preset }],
    ),
  );
}

/** Values that every document would be refused for, and values without an end. @param faulty files with errors */
export function unfitDefaults(subject: CollectionSubject, faulty: ReadonlySet<string>): Diagnostic[] {
  const { collection, files } = subject;
  // Others cannot be compiled.
  const isSound = !collection.schema.files.some(({ path }) => faulty.has(path));
  // What does not fit may be the mistake that was told of the schema.
  if (collection.schema.faults !== undefined) return [];
  return presetsIn(subject).flatMap((member): Diagnostic[] => {
    const span = spanAt(files, member.preset, ["default"]);
    try {
      const value = presetValue(member);
      const fits = (place: Place) => validatorFunction(standing(collection.schema, place))(value);
      const problem = refutation(value, member.places);
      if (problem === undefined && (!isSound || member.places.every(fits))) return [];
      const parameters = {
        value: shown(value),
        problem: problem ?? "does not fit its schema",
        field: member.name,
      };
      const hint = isJsonObject(value) ? "what its own defaults set is in it already" : undefined;
      return [diagnose("default-misfit", span, parameters, { hint })];
    } catch (error) {
      if (!(error instanceof EndlessDefault)) throw error;
      return error.preset === member.preset ? [diagnose("default-endless", span, {})] : [];
    }
  });
}

/** The schema at a place that another one leads to. */
function standing(schema: Schema, { documents, path, at }: Place): Schema {
  return { ...schema, path, pointer: pointerOf(at), document: documents(path) ?? null };
}

/** Defaults that one document alone can have. */
export const uniqueDefaults: CollectionCheck = (subject) => {
  const { collection, files } = subject;
  const members = appliedIn(collection)?.members;
  return collection.indexes.flatMap(({ name, unique, fields: [only, ...others] }) => {
    const member = only === undefined || others.length > 0 ? undefined : members?.get(only.path);
    if (!unique || only === undefined || member?.preset === undefined) return [];
    if (member.preset.schema.default === null) return [];
    const span = spanAt(files, member.preset, ["default"]);
    return [diagnose("default-unique", span, { index: name, field: only.path })];
  });
};

/** Of every schema of the realm. */
export function idleDefaults(
  { schemas, files }: RealmSubject,
  collections: readonly CollectionSubject[],
): Diagnostic[] {
  const applied = appliedDefaults(collections);
  return schemas.flatMap((site) => {
    const of = collections.filter(({ collection }) =>
      collection.schema.files.some(({ path }) => path === site.path),
    );
    if (!of.every((each) => isReliable(each, ["defaults"]))) return [];
    return [...schemasIn(site)].flatMap((part) => {
      if (part.schema.default === undefined || applied.has(keyOf(part))) return [];
      const applying = of.some(({ collection }) => collection.defaults !== undefined);
      const hint =
        applying || of.length === 0 ? undefined : "set defaults: apply in collection.yaml, or leave it out";
      const why = schemaKeys(part.path) !== undefined ? elsewhere : applying ? reasonAt(part) : unasked;
      return [diagnose("keyword-without-effect", spanAt(files, part, ["default"], "key"), { why }, { hint })];
    });
  });
}

/** Below what nothing is set in, what leads to a default that is set where `properties` lead to it, too. */
export function defaultsOfBranches(collections: readonly CollectionSubject[]): Diagnostic[] {
  const told = new Set<string>();
  return collections.flatMap((subject) => {
    const applied = appliedDefaults([subject]);
    if (applied.size === 0 || subject.collection.schema.faults !== undefined) return [];
    return [...branchesTo(placeOf(subject.collection.schema), applied)].flatMap(({ site, around }) => {
      if (told.has(keyOf(site))) return [];
      told.add(keyOf(site));
      const why = `what it leads to has one that is set elsewhere, and nothing is set below ${around}`;
      const span = spanAt(subject.files, site, ["$ref"], "key");
      return [diagnose("keyword-without-effect", span, { why })];
    });
  });
}

/** Where a walk is: below what nothing is set in, and from which `$ref` there it has come. */
interface Way {
  readonly place: Place;
  readonly around?: string;
  readonly site?: Part;
}

/** The `$ref`s below such a keyword that lead to one of these defaults: of each default the first that is come upon. */
function* branchesTo(root: Place, defaults: ReadonlySet<string>): Generator<{ site: Part; around: string }> {
  const seen = new Set<string>();
  const ways: Way[] = [{ place: root }];
  for (const { place, around, site } of ways) {
    const key = `${around === undefined} ${site === undefined} ${keyOf(place)}`;
    if (!isPart(place) || seen.has(key)) continue;
    seen.add(key);
    if (around !== undefined && site !== undefined && defaults.has(keyOf(place))) yield { site, around };
    const target = referred(place);
    if (target !== undefined) {
      const from = site ?? (around === undefined ? undefined : place);
      ways.push({ place: target, ...(around !== undefined && { around }), ...(from && { site: from }) });
    }
    for (const child of childrenOf(place)) {
      if (unapplied.has(child.keyword)) continue;
      const now = around ?? (closed.has(child.keyword) ? child.keyword : undefined);
      ways.push({ place: child, ...(now !== undefined && { around: now }), ...(site && { site }) });
    }
  }
}

/** What stands below these says nothing of a value that a document is to have. */
const unapplied: ReadonlySet<string> = new Set(["$defs", "not", "if", "propertyNames", "contentSchema"]);

const elsewhere = "defaults are set in documents of collections alone";
const unasked = "no collection with defaults: apply has it";

function reasonAt({ at }: Part): string {
  const around = at.find((step, index) => closed.has(step) && !named.has(at[index - 1] ?? ""));
  if (around !== undefined) return `nothing is set below ${around}`;
  if (at.length === 0) return "a document is always there";
  return at.at(-1) === "items" ? "an item is there, or it is not" : "no document has it under properties";
}

/** What stands below these is a name. */
const named: ReadonlySet<string> = new Set(["properties", "$defs", "patternProperties", "dependentSchemas"]);

const closed: ReadonlySet<string> = new Set([
  ...["oneOf", "anyOf", "if", "then", "else", "not", "dependentSchemas", "patternProperties"],
  ...["additionalProperties", "unevaluatedProperties", "prefixItems", "contains", "unevaluatedItems"],
  ...["propertyNames", "contentSchema"],
]);
