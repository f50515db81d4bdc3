/** Two schemas, value by value: what is written by them, and what is read. */
import { isMultipleOf } from "../../../runtime/validation/multiples.ts";
import { expandedText, type Facets, facetsOf } from "../../schema/facets.ts";
import { keyword, type Limit, limitNames } from "../../schema/keywords.ts";
import { type Place, placeOf, type Schema } from "../../schema/place.ts";
import { allTypes, type JsonType } from "../../schema/shapes.ts";
import { conjunctsOf } from "../../schema/walk.ts";
import { describeTypes, listed, shown } from "../../settings/words.ts";
import { canonicalJson } from "../../source/meaning.ts";
import type { Report } from "../catalogue.ts";

/** Reports what changed between two schemas; `where` is the place of the value that they describe. */
export function compareSchemas(before: Schema, after: Schema, where: string, report: Report): void {
  if (writtenText(before) === writtenText(after)) return;
  const [old, now] = [placeOf(before), placeOf(after)];
  let reported = 0;
  const counted: Report = (check, place, parameters) => {
    reported++;
    report(check, place, parameters);
  };
  compareValues([old], [now], where, new Set(), counted);
  if (reported === 0 && expandedText(old) !== expandedText(now)) report("schema-rewritten", where, {});
}

/** Equal for schemas that are the same to the letter, but for their layout. */
function writtenText({ files, path, pointer, document }: Schema): string {
  const others = files.filter((file) => file.path !== path).map((file) => [file.path, file.document]);
  return canonicalJson([path, pointer, document, ...others]);
}

/** `seen`: the pairs of schemas that this one is inside of, since schemas may refer to themselves. */
function compareValues(
  before: readonly Place[],
  after: readonly Place[],
  where: string,
  seen: ReadonlySet<string>,
  report: Report,
): void {
  const pair = `${identity(before)} ${identity(after)}`;
  if (seen.has(pair)) return;
  const entered = new Set([...seen, pair]);
  const [old, now] = [facetsOf(before), facetsOf(after)];
  const again = (a: readonly Place[], b: readonly Place[], place: string) =>
    compareValues(a, b, place, entered, report);
  if (!compareTypes(old, now, where, report)) return;
  compareLists(old, now, where, report);
  compareLimits(old, now, where, report);
  compareTexts(old, now, where, report);
  if (now.uniqueItems !== old.uniqueItems)
    report(now.uniqueItems ? "items-unique" : "items-may-repeat", where, {});
  if (old.types.has("array") && now.types.has("array") && old.items.length + now.items.length > 0)
    again(old.items, now.items, `${where}[]`);
  if (old.types.has("object") && now.types.has("object")) compareMembers(old, now, where, again, report);
  compareAlternatives(old, now, where, again, report);
  compareConditions(old, now, where, report);
  const described = changedKeys(old.descriptions, now.descriptions);
  if (described.length > 0) report("description-changed", where, { keywords: described.join(", ") });
}

const identities = new WeakMap<object, number>();
let last = 0;

/** Equal for the same schemas of one model. */
function identity(places: readonly Place[]): string {
  const { parts, never } = conjunctsOf(places);
  const own = parts.flatMap(({ schema }) => {
    // Says nothing of its own.
    if (Object.keys(schema).join() === "$ref") return [];
    const known = identities.get(schema) ?? ++last;
    identities.set(schema, known);
    return [known];
  });
  return [...own, ...never.map(() => false)].join();
}

/** Answers whether there is anything else to compare. */
function compareTypes(old: Facets, now: Facets, where: string, report: Report): boolean {
  const common = [...old.types].filter((type) => now.types.has(type) && type !== "null");
  const [gone, added] = [without(old.types, now.types), without(now.types, old.types)];
  const [was, is] = [describeTypes(old.types), describeTypes(now.types)];
  const named = { old: was, new: is };
  if (gone.length > 0 && added.length > 0) report("type-changed", where, named);
  else if (gone.length > 0) report("type-narrowed", where, named);
  else if (added.length > 0)
    report("type-widened", where, { ...named, added: describeTypes(new Set(added)) });
  const anything = [old, now].some(({ types }) => allTypes.every((type) => types.has(type)));
  const told = (anything || common.length === 0) && gone.length + added.length > 0;
  if (old.types.has("null") !== now.types.has("null") && !told)
    report(now.types.has("null") ? "null-allowed" : "null-refused", where, {});
  if (common.length > 0 && old.types.has("string") && now.types.has("string") && old.date !== now.date) {
    const stored = ({ date }: Facets): string => (date ? "a date" : "a text");
    report("storage-changed", where, { old: stored(old), new: stored(now) });
  }
  return common.length > 0 || (old.types.has("null") && now.types.has("null"));
}

function without(types: ReadonlySet<JsonType>, others: ReadonlySet<JsonType>): JsonType[] {
  return [...types].filter((type) => type !== "null" && !others.has(type));
}

function compareLists(old: Facets, now: Facets, where: string, report: Report): void {
  const names = (values: Iterable<string>): string => listed([...values].filter((value) => value !== "null"));
  if (old.values === undefined || now.values === undefined) {
    if (now.values !== undefined) report("values-introduced", where, { values: names(now.values) });
    if (old.values !== undefined) report("values-lifted", where, { values: names(old.values) });
    return;
  }
  const { values: before } = old;
  const { values: after } = now;
  const gone = [...before].filter((value) => value !== "null" && !after.has(value));
  const added = [...after].filter((value) => value !== "null" && !before.has(value));
  if (gone.length > 0) report("value-removed", where, { values: names(gone) });
  if (added.length > 0) report("value-added", where, { values: names(added) });
}

function compareLimits(old: Facets, now: Facets, where: string, report: Report): void {
  for (const limit of limitNames) {
    const [before, after] = [old.limits.get(limit), now.limits.get(limit)];
    if (before === after) continue;
    const parameters = { limit, old: before ?? "none", new: after ?? "none" };
    report(tighter(limit, before, after) ? "limit-tightened" : "limit-relaxed", where, parameters);
  }
}

function tighter(limit: Limit, old: number | undefined, now: number | undefined): boolean {
  if (old === undefined || now === undefined) return old === undefined;
  switch (keyword(limit).limit) {
    case "least":
      return now > old;
    case "most":
      return now < old;
    default:
      return !isMultipleOf(old, now);
  }
}

function compareTexts(old: Facets, now: Facets, where: string, report: Report): void {
  for (const [name, before, after] of [
    ["pattern", old.patterns, now.patterns],
    ["format", old.formats, now.formats],
  ] as const) {
    const gone = [...before].filter((text) => !after.has(text));
    const added = [...after].filter((text) => !before.has(text));
    const parameters = { old: gone.join(" and "), new: added.join(" and ") };
    if (gone.length > 0 && added.length > 0) report(`${name}-changed`, where, parameters);
    else if (added.length > 0) report(`${name}-added`, where, parameters);
    else if (gone.length > 0) report(`${name}-removed`, where, parameters);
  }
}

type Again = (before: readonly Place[], after: readonly Place[], where: string) => void;

function compareMembers(old: Facets, now: Facets, where: string, again: Again, report: Report): void {
  const names = [old, now].flatMap(({ members, required }) => [...members.keys(), ...required]);
  for (const name of [...new Set(names)].sort()) {
    const place = `${where}.${name}`;
    const [before, after] = [old.members.get(name), now.members.get(name)];
    const [wasRequired, isRequired] = [old.required.has(name), now.required.has(name)];
    if (before !== undefined && after === undefined) report("field-removed", place, {});
    else if (before === undefined && after !== undefined) {
      report(isRequired && !wasRequired ? "field-added-required" : "field-added", place, {});
      // It had to be what members that are not declared have to be.
      if (!old.closed && old.others.length > 0) again(old.others, after, place);
    } else {
      if (wasRequired !== isRequired)
        report(isRequired ? "field-now-required" : "field-now-optional", place, {});
      if (before !== undefined && after !== undefined) again(before, after, place);
    }
  }
  if (old.closed !== now.closed) report(now.closed ? "members-refused" : "members-allowed", where, {});
  else if (!now.closed && old.others.length + now.others.length > 0)
    again(old.others, now.others, `${where}.*`);
}

/** Branches are the same where they are written the same; one that stands alone for another is compared with it. */
function compareAlternatives(old: Facets, now: Facets, where: string, again: Again, report: Report): void {
  const [olds, nows] = [aligned(old, now), aligned(now, old)];
  for (let at = 0; at < Math.max(olds.length, nows.length); at++) {
    const [before, after] = [olds[at], nows[at]];
    if (before === undefined || after === undefined || before.keyword !== after.keyword) {
      report("variants-changed", where, { keyword: (after ?? before)?.keyword ?? "" });
      continue;
    }
    const [was, is] = [texts(before.branches), texts(after.branches)];
    const gone = [...was].filter(([text]) => !is.has(text));
    const added = [...is].filter(([text]) => !was.has(text));
    for (const [text, branch] of was) {
      const same = is.get(text);
      // Only texts for people can differ in it.
      if (same !== undefined) again([branch], [same], where);
    }
    const [[, one] = []] = gone;
    const [[, other] = []] = added;
    const alone = gone.length === 1 && added.length === 1;
    if (alone && one && other && (after.keyword === "anyOf" || excludesOthers(other, after.branches)))
      again([one], [other], where);
    else if (gone.length > 0 && added.length > 0)
      report("variants-changed", where, { keyword: after.keyword });
    else {
      for (const [text] of gone) report("variant-removed", where, { variant: shown(text) });
      for (const [text] of added) report("variant-added", where, { variant: shown(text) });
    }
  }
}

/** Whether nothing that a branch accepts can be what another accepts: then widening it makes `oneOf` refuse nothing. */
function excludesOthers(branch: Place, branches: readonly Place[]): boolean {
  const own = facetsOf([branch]);
  return branches.every((other) => other === branch || excludes(own, facetsOf([other])));
}

/** By their types, by the values that they list, or by those of a member that both require. */
function excludes(one: Facets, other: Facets): boolean {
  if ([...one.types].every((type) => !other.types.has(type)) || listOthers(one, other)) return true;
  const objects = [one, other].every(({ types }) => [...types].join() === "object");
  const named = [...one.required].filter((name) => objects && other.required.has(name));
  return named.some((name) => {
    const [mine, theirs] = [one, other].map(({ members }) => facetsOf(members.get(name) ?? []));
    return mine !== undefined && theirs !== undefined && listOthers(mine, theirs);
  });
}

function listOthers({ values: mine }: Facets, { values: theirs }: Facets): boolean {
  return mine !== undefined && theirs !== undefined && [...mine].every((value) => !theirs.has(value));
}

type Group = Facets["alternatives"][number];

/** The groups that the other has too in an order that both share, then the rest in theirs. */
function aligned({ alternatives }: Facets, other: Facets): Group[] {
  const key = ({ keyword, branches }: Group) =>
    canonicalJson([keyword, ...[...texts(branches).keys()].sort()]);
  const others = new Set(other.alternatives.map(key));
  const keyed = alternatives.map((group) => ({ group, key: key(group) }));
  const shared = keyed.filter((each) => others.has(each.key)).sort((a, b) => (a.key < b.key ? -1 : 1));
  return [...shared, ...keyed.filter((each) => !others.has(each.key))].map(({ group }) => group);
}

function texts(branches: readonly Place[]): ReadonlyMap<string, Place> {
  return new Map(branches.map((branch) => [expandedText(branch), branch]));
}

function compareConditions(old: Facets, now: Facets, where: string, report: Report): void {
  for (const keyword of changedKeys(old.conditions, now.conditions)) {
    const entangled = !separate.has(keyword);
    const parameters = { keyword };
    if (old.conditions.has(keyword) === now.conditions.has(keyword) || entangled)
      report("condition-changed", where, parameters);
    else report(now.conditions.has(keyword) ? "condition-added" : "condition-removed", where, parameters);
  }
}

function changedKeys(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key)).sort();
}

/** Conditions that mean the same whatever stands beside them: without one more is accepted. */
const separate: ReadonlySet<string> = new Set([
  "contains",
  "dependentRequired",
  "dependentSchemas",
  "if",
  "not",
  "propertyNames",
]);
