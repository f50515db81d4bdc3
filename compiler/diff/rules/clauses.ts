/** What changed in a rule, in words: its clauses that came and went. */

import { oneLine } from "../../model/rule-source.ts";
import { canonicalText } from "../../proofs/atoms.ts";
import type { CompiledRule } from "../../rules/compiled.ts";
import { type Condition, type Leaf, operands } from "../../rules/form/form.ts";

/** A rule's form and the text that its places lie in. */
export interface Ruled {
  readonly text: string;
  readonly condition: Condition;
}

export function ruledBy({ text, form }: CompiledRule): Ruled {
  return { text, condition: form.condition };
}

/** One line: "`a` is required no longer, `b` is enough". */
export function changeInWords(old: Ruled, now: Ruled): string {
  if (old.condition.kind === "constant" || now.condition.kind === "constant")
    return `was ${wholeText(old)}, is ${wholeText(now)}`;
  return (
    clausesInWords(old, now, "or", { added: "is enough now", removed: "is not enough any longer" }) ??
    clausesInWords(old, now, "and", { added: "is required now", removed: "is not required any longer" }) ??
    `was ${wholeText(old)}, is ${wholeText(now)}`
  );
}

/** Undefined where the rules have no clause in common. */
function clausesInWords(
  old: Ruled,
  now: Ruled,
  kind: "and" | "or",
  words: { readonly added: string; readonly removed: string },
): string | undefined {
  const [before, after] = [clauses(old, kind), clauses(now, kind)];
  const gone = [...before].filter(([key]) => !after.has(key));
  const added = [...after].filter(([key]) => !before.has(key));
  if (gone.length === before.size || added.length === after.size) return undefined;
  return [
    ...gone.map(([, text]) => `\`${text}\` ${words.removed}`),
    ...added.map(([, text]) => `\`${text}\` ${words.added}`),
  ].join(", ");
}

/** In canonical order. */
function clauses({ text, condition }: Ruled, kind: "and" | "or"): ReadonlyMap<string, string> {
  const parts = condition.kind === kind ? condition.of : [condition];
  const pairs = parts.flatMap((part) => {
    const whole = oneLine(text, part.at);
    const holds = (part.kind === "hasRole" || part.kind === "membership") && kind === "or";
    // A role more is a clause more.
    if (holds && part.roles.length > 1)
      return part.roles.map((role) => {
        const own = { ...part, roles: [role] };
        return [canonicalText(own), callInWords(own, text)] as const;
      });
    return [[canonicalText(part), whole] as const];
  });
  return new Map([...pairs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The helper called with its operands as they stand in the text. */
function callInWords(leaf: Leaf, text: string): string {
  const helper = leaf.kind === "membership" ? leaf.helper : leaf.kind;
  return `${helper}(${operands(leaf)
    .map(({ at }) => oneLine(text, at))
    .join(", ")})`;
}

function wholeText({ text, condition }: Ruled): string {
  if (condition.kind === "constant") return condition.holds ? "allowed to everybody" : "denied to everybody";
  return `\`${oneLine(text)}\``;
}
