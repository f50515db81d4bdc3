import { expect, it } from "vitest";
import type { Collection, Realm, RuleName } from "../../model/model.ts";
import { compileRules } from "../rules.ts";
import { noteCollection, noteRealm, ruleSource } from "./realms.ts";

/** A wrong rule, its mistakes between `⟦` and `⟧`, and what is said of each, in order. */
type Case = readonly [rule: string, ...said: string[]];

interface Settings {
  readonly ofCollection?: Partial<Collection>;
  readonly ofRealm?: Partial<Realm>;
}

/** What the compiler says of a rule: each place's marks put into the text, then the messages. */
function judged(
  text: string,
  name: RuleName | "field read" | "field write",
  { ofCollection = {}, ofRealm = {} }: Settings = {},
): readonly string[] {
  const source = ruleSource(text, name);
  const rules =
    name === "field read" || name === "field write"
      ? { fieldRules: [{ path: "title", span: source.span, [name.slice("field ".length)]: source }] }
      : { rules: { [name]: source } };
  const collection = noteCollection({}, { ...ofCollection, ...rules });
  const { diagnostics } = compileRules(noteRealm(collection, ofRealm));
  const marked = diagnostics.map(({ span }) => ({ start: span.column - 1, end: span.endColumn - 1 }));
  const shown = marked
    .sort((a, b) => b.start - a.start)
    .reduce(
      (rule, { start, end }) => `${rule.slice(0, start)}⟦${rule.slice(start, end)}⟧${rule.slice(end)}`,
      text,
    );
  return [
    shown,
    ...diagnostics.map(
      ({ code, message, hint }) => `${code} ${message}${hint === undefined ? "" : ` (${hint})`}`,
    ),
  ];
}

/** A test of each case. */
export function golden(
  name: RuleName | "field read" | "field write",
  cases: readonly Case[],
  settings?: Settings,
): void {
  it.each(cases)(`${name}: %s`, (marked, ...said) => {
    expect(judged(marked.replace(/[⟦⟧]/g, ""), name, settings)).toEqual([marked, ...said]);
  });
}
