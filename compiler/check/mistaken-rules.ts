/** Rules that cannot be meant as they are written: constant ones, clauses without effect, ids of another kind. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { type RuleName, type RuleSource, ruleNames } from "../model/model.ts";
import { anything, orNone, type Room } from "../proofs/room.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import { type Condition, leavesIn, type Value, valuesIn } from "../rules/form/form.ts";
import { withArticle } from "../rules/helpers/arguments.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";
import { ruleSpan } from "../rules/language/report.ts";
import { placeOf } from "../schema/place.ts";
import type { Ruled } from "./access/granted.ts";
import { isBeyondRead, ofReadable } from "./access/unreached.ts";
import type { Around, Known } from "./clauses/around.ts";
import { clauseFaults, isNever, outcomeOf, type Setting } from "./clauses/clauses.ts";
import { saidOf } from "./clauses/said.ts";

export function surelyMistaken(subject: Ruled): Diagnostic[] {
  const { collection, room } = subject;
  const top = placeOf(collection.schema);
  const said = (condition: Condition) => saidOf(condition, top);
  return placedRules(subject).flatMap(({ name, source, rule }) => {
    // That nobody who reads satisfies it is told as a whole.
    const isBeyond = name !== undefined && isBeyondRead(subject, name);
    const asked = isBeyond || name === undefined ? [] : readersOf(subject, name);
    return mistakenRule(source, rule, {
      room: name === undefined ? orNone(room) : room,
      said,
      around: { sure: [], further: asked, positive: true },
    });
  });
}

/** What holds of documents that a rule is asked of: their readers alone come so far. */
function readersOf({ compiled: { rules } }: Ruled, name: RuleName): readonly Known[] {
  const read = ofReadable.includes(name) ? rules.read?.form.condition : undefined;
  if (read === undefined || read.kind === "constant") return [];
  return [{ condition: read, words: "where the read rule holds" }];
}

interface PlacedRule {
  /** Undefined of a field's. */
  readonly name: RuleName | undefined;
  readonly source: RuleSource;
  readonly rule: CompiledRule;
}

/** Every rule of a collection that compiled, with its text. */
function placedRules({ collection: { rules, fieldRules }, compiled }: Ruled): PlacedRule[] {
  const own = ruleNames.map((name) => [name, rules[name], compiled.rules[name]] as const);
  const ofFields = compiled.fieldRules.flatMap(({ path, read, write }) => {
    const given = fieldRules.find((each) => each.path === path);
    return [[undefined, given?.read, read] as const, [undefined, given?.write, write] as const];
  });
  return [...own, ...ofFields].flatMap(([name, source, rule]) =>
    source === undefined || rule === undefined ? [] : [{ name, source, rule }],
  );
}

/** What a rule is asked of. */
interface Asking {
  readonly room?: Room;
  /** What the schema says of the fields that a condition reads. */
  readonly said?: Setting["said"];
  /** What is known wherever it is asked. */
  readonly around?: Around;
}

/** @param setting what the rule is asked of, and what is known wherever it is */
export function mistakenRule(
  source: RuleSource,
  { written, form }: CompiledRule,
  { room = anything, said = () => undefined, around }: Asking = {},
): Diagnostic[] {
  const ids = wrongIds(written, source);
  if (written.kind === "constant") return ids;
  const outcome = form.condition.kind === "constant" ? form.condition.holds : outcomeOf(written);
  // What comes of an id of the wrong kind is not told as well.
  if (ids.length > 0) return ids;
  if (outcome !== undefined) return [diagnose("rule-constant", source.span, { outcome: `${outcome}` })];
  if (isNever(written, room)) {
    const known = said(written);
    const because = known === undefined ? "" : `: by schema.json ${known}`;
    return [diagnose("rule-outside-schema", source.span, { because })];
  }
  return clauseFaults(written, { text: source.text, room, said }, around).map(({ at, problem }) =>
    diagnose("rule-clause", ruleSpan(source, at), { problem }),
  );
}

/** What ids are of; undefined for values of which that is not known. */
function kindOf(value: Value): string | undefined {
  if (value.kind !== "read") return undefined;
  const path = value.path.join(".");
  if (value.root === "user") return { id: "the id of a user", email: "an e-mail address" }[path];
  if (value.root === "appConfig") return undefined;
  return Object.hasOwn(serverIds, path) ? serverIds[path] : undefined;
}

const serverIds: Readonly<Record<string, string>> = {
  "_meta.owner": "the id of a user",
  "_meta.created_by": "the id of a user",
  "_meta.updated_by": "the id of a user",
  "_meta.deleted_by": "the id of a user",
  "_meta.org": "the id of an organization",
  "_meta.team": "the id of a team",
};

function wrongIds(condition: Condition, source: RuleSource): Diagnostic[] {
  const check = (value: Value, wanted: string | undefined): Diagnostic[] => {
    const found = kindOf(value);
    if (found === undefined || wanted === undefined || found === wanted) return [];
    return [diagnose("rule-id-kind", ruleSpan(source, value.at), { found, wanted })];
  };
  const ofLeaves = [...leavesIn(condition)].flatMap((leaf) => {
    if (leaf.kind === "membership")
      return check(leaf.id, `the id of ${withArticle(membershipHelpers[leaf.helper].in)}`);
    return leaf.kind === "equal" ? check(leaf.right, kindOf(leaf.left)) : [];
  });
  const ofClaims = [...valuesIn(condition)].flatMap((value) =>
    value.kind === "claim" ? check(value.org, "the id of an organization") : [],
  );
  return [...ofLeaves, ...ofClaims];
}
