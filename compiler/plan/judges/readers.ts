/** Who sees more of the stored documents than before, and who sees less. */
import { timestamp } from "../../../runtime/clock.ts";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { changeInWords, type Ruled, ruledBy } from "../../diff/rules/clauses.ts";
import { allowed, denied } from "../../diff/rules/compare.ts";
import { oneLine } from "../../model/rule-source.ts";
import { canonicalText } from "../../proofs/atoms.ts";
import type { CompiledRule } from "../../rules/compiled.ts";
import { holds } from "../../rules/form/evaluate.ts";
import type { Condition } from "../../rules/form/form.ts";
import { simplify } from "../../rules/form/simplify.ts";
import { callerKinds, contextMaker } from "../callers.ts";
import { counted, type Finding, finding, verb } from "../finding.ts";
import type { Judge } from "../judge.ts";
import { type CollectionSide, type CollectionSides, spotOf } from "../sides.ts";

/** Of documents, and of each field that a rule hides from some. */
export function readerJudges(sides: CollectionSides): readonly Judge[] {
  const { old, now } = sides;
  const paths = [old, now].flatMap(({ compiled }) =>
    compiled.fieldRules.filter(({ read }) => read !== undefined).map(({ path }) => path),
  );
  const documents = rulingsOf(sides, undefined);
  const fields = [...new Set(paths)].sort().map((path) => rulingsOf(sides, path));
  return [documents, ...fields].flatMap((rulings) =>
    rulings === undefined ? [] : [judgeOf(sides, rulings)],
  );
}

interface Rulings {
  /** Undefined: of the documents as a whole. */
  readonly field: string | undefined;
  readonly clause: string;
  readonly conditions: readonly [old: Condition, now: Condition];
}

/** Undefined where the same callers see the same. */
function rulingsOf(sides: CollectionSides, field: string | undefined): Rulings | undefined {
  const [before, after] = [sides.old, sides.now].map((side) => ruledAt(side, field));
  if (before === undefined || after === undefined) return undefined;
  const migrates = sides.now.form > sides.old.form;
  const isSame = canonicalText(before.condition) === canonicalText(after.condition);
  const asksNothing = before.condition.kind === "constant" && after.condition.kind === "constant";
  const config = [sides.old, sides.now].map(({ realm }) => JSON.stringify(realm.appConfig));
  if (isSame && (asksNothing || (!migrates && config[0] === config[1]))) return undefined;
  const [wholly, newly] =
    field === undefined
      ? [[], []]
      : [ruledAt(sides.old, undefined), ruledAt(sides.now, undefined)].map(({ condition }) => [condition]);
  return {
    field,
    clause: isSame ? `\`${oneLine(after.text)}\` of what migrations make` : changeInWords(before, after),
    conditions: [all(before.condition, wholly ?? []), all(after.condition, newly ?? [])],
  };
}

/** The rule of a side: what it does not declare is denied, or of a field allowed; without accounts everything is allowed. */
function ruledAt({ realm, compiled }: CollectionSide, field: string | undefined): Ruled {
  if (!realm.auth) return allowed;
  if (field === undefined) return ruled(compiled.rules.read, denied);
  const own = compiled.fieldRules.find(({ path }) => path === field)?.read;
  const around = compiled.fieldRules.flatMap(({ path, read }) =>
    read !== undefined && field.startsWith(`${path}.`) ? [read.form.condition] : [],
  );
  const { text, condition } = ruled(own, allowed);
  return { text, condition: all(condition, around) };
}

function ruled(rule: CompiledRule | undefined, fallback: Ruled): Ruled {
  return rule === undefined ? fallback : ruledBy(rule);
}

function all(condition: Condition, others: readonly Condition[]): Condition {
  return others.length === 0
    ? condition
    : simplify({ kind: "and", of: [condition, ...others], at: condition.at });
}

function judgeOf(sides: CollectionSides, { field, clause, conditions: [before, after] }: Rulings): Judge {
  const { old, now } = sides;
  const time = timestamp(sides.clock.now());
  const kinds = callerKinds([old.realm, now.realm], [before, after]).map((kind) => ({
    ...kind,
    was: contextMaker(kind, old.realm, time),
    is: contextMaker(kind, now.realm, time),
  }));
  const mark = field === undefined ? "" : ` ${field}`;
  const path = field?.split(".");
  return {
    looks: true,
    look(seen, tallies) {
      if (seen.isDeleted) return;
      const { document, given } = seen;
      if (path !== undefined && !isIn(document, path) && !isIn(given, path)) return;
      const changed = new Map<string, "gained" | "lost">();
      for (const { name, base, was, is } of kinds) {
        const [first, second] = [was(document), is(given)];
        const could = first !== undefined && holds(before, { context: first, document, data: undefined });
        const can =
          second !== undefined && holds(after, { context: second, document: given, data: undefined });
        if (could === can) continue;
        const way = can ? "gained" : "lost";
        changed.set(name, way);
        tallies.add(`${way} ${name}${mark}`, seen.id);
        if (base === undefined || changed.get(base) !== way)
          tallies.add(`${way} ${name}${mark} alone`, seen.id);
      }
    },
    findings(tallies) {
      return kinds.flatMap(({ name, words }) =>
        (["gained", "lost"] as const).flatMap((way): Finding[] => {
          // What those without the role may as well is told of them.
          if (tallies.of(`${way} ${name}${mark} alone`).count === 0) return [];
          const tally = tallies.of(`${way} ${name}${mark}`);
          const spot = spotOf(sides, field === undefined ? "rules.read" : `fields.${field}.read`);
          const details = [{ caller: name, clause, count: tally.count }];
          const message = `${inWords(way, tally.count, words, field)}: ${clause}`;
          return [
            finding(way === "gained" ? "readers-gained" : "readers-lost", spot, tally, message, { details }),
          ];
        }),
      );
    },
  };
}

function inWords(way: "gained" | "lost", count: number, callers: string, field: string | undefined): string {
  const what = field === undefined ? counted(count) : `${field} of ${counted(count)}`;
  const number = field === undefined ? count : 1;
  return way === "gained"
    ? `${what} ${verb(number, "becomes", "become")} visible to ${callers}`
    : `${what} ${verb(number, "is", "are")} not visible any longer to ${callers}`;
}

function isIn(document: JsonObject, path: readonly string[]): boolean {
  let inside: unknown = document;
  for (const name of path) {
    if (!isJsonObject(inside) || !Object.hasOwn(inside, name)) return false;
    inside = inside[name];
  }
  return inside !== null;
}
