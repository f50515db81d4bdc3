import { describe, expect, it } from "vitest";
import { compileRules } from "./rules.ts";
import { golden } from "./testing/diagnostics.ts";
import { noteCollection, noteRealm } from "./testing/realms.ts";

describe("syntax", () => {
  golden("read", [
    [
      "hasRole('editor') ⟦and⟧ user.mfa",
      "rule-syntax the rule is not a complete expression: 'and' is no operator (write &&)",
    ],
    [
      "(user.mfa ⟦hasRole⟧('editor'))",
      "rule-syntax the rule is not a complete expression: an operator such as && is expected here",
    ],
    [
      "document.public ⟦and⟧ user.mfa",
      "rule-syntax the rule is not a complete expression: 'and' is no operator (write &&)",
    ],
    [
      "not ⟦document⟧.public",
      "rule-syntax the rule is not a complete expression: 'not' is no operator (write !)",
    ],
    ["document.public⟦)⟧", "rule-syntax the rule is not a complete expression: this ')' closes nothing"],
    ["(document.public⟦⟧", "rule-syntax the rule is not a complete expression: a ')' is missing"],
    [
      "hasRole(⟦’⟧editor’)",
      "rule-syntax the rule is not a complete expression: a typographic quote in place of ' (U+2019) stands here",
    ],
    [
      "document.ti⟦\u200d⟧tle == null",
      "rule-syntax the rule is not a complete expression: a character without width (U+200D) stands here",
    ],
    [
      "hasRole('editor') || document.t⟦\u0456⟧tle == 'а'",
      "rule-syntax the rule is not a complete expression: a Cyrillic letter that looks like 'i' (U+0456) stands here",
    ],
    ["⟦True⟧", "rule-unknown-name 'True' is not a name that rules know (write true)"],
    [
      "document.title.⟦startsWith⟧",
      "rule-construct startsWith without a call is not part of the rule language (write .startsWith('…'))",
    ],
    ["document.public ||⟦⟧", "rule-syntax the rule is not a complete expression: a value is expected here"],
    ["⟦⟧", "rule-syntax the rule is not a complete expression: a value is expected here"],
    [
      "document.public⟦)⟧ || (user.mfa",
      "rule-syntax the rule is not a complete expression: this ')' closes nothing",
    ],
    [
      "true⟦)⟧; import('fs'); (true",
      "rule-syntax the rule is not a complete expression: this ')' closes nothing",
    ],
    [
      "document.title == 'a⟦⟧",
      "rule-syntax the rule is not a complete expression: the text that starts before this has no closing quote (close it; if a ' #' stands in the text, YAML took the rest for a comment: put the rule in double quotes)",
    ],
    [
      "document.public ⟦user⟧.mfa",
      "rule-syntax the rule is not a complete expression: an operator such as && is expected here",
    ],
    [
      `⟦${"(".repeat(400)}true${")".repeat(400)}⟧`,
      "rule-too-large the rule is too large: it is nested deeper than 300 levels (split the decision, for example by a field that says who may see the document)",
    ],
    [
      `⟦document.title == '${"a".repeat(4000)}'⟧`,
      "rule-too-large the rule is too large: it has 4020 characters, at most 4000 are allowed (split the decision, for example by a field that says who may see the document)",
    ],
  ]);

  it.each([
    `${"!".repeat(3900)}true`,
    "[".repeat(3900),
    "`${".repeat(1300),
    "a<".repeat(1900),
    `${"a=>".repeat(1300)}a`,
    `${"{a:".repeat(1000)}1`,
  ])("nesting that would exhaust the stack is refused: %#", (text) => {
    const { diagnostics } = compileRules(noteRealm(noteCollection({ read: text })));
    expect(diagnostics.map(({ code }) => code)).toEqual(["rule-too-large"]);
  });
});

describe("constructs outside of the language", () => {
  golden("update", [
    ["document.count ⟦+⟧ 1 == 2", "rule-construct the operator + is not part of the rule language"],
    [
      "(document.title ⟦??⟧ 'a') == 'a'",
      "rule-construct the operator ?? is not part of the rule language (compare with null and choose with ?:)",
    ],
    [
      "document.title ⟦=⟧ 'a'",
      "rule-construct the operator = is not part of the rule language (compare with ==)",
    ],
    [
      "document.public ⟦&⟧ user.mfa",
      "rule-construct the operator & is not part of the rule language (combine conditions with &&)",
    ],
    [
      "document.title ⟦in⟧ { a: 1 }",
      "rule-construct the operator in is not part of the rule language (write ['a', 'b'].includes(x))",
    ],
    ["document.public⟦,⟧ true", "rule-construct the operator , is not part of the rule language"],
    ["document.title == ⟦`a`⟧", "rule-construct a template literal is not part of the rule language"],
    [
      "document.title == ⟦`$" + "{user.id}`⟧",
      "rule-construct a template literal is not part of the rule language",
    ],
    ["⟦/a/⟧ == document.title", "rule-construct a regular expression is not part of the rule language"],
    ["document.count == ⟦5n⟧", "rule-construct a bigint literal is not part of the rule language"],
    [
      "document.title == ⟦undefined⟧",
      "rule-construct undefined is not part of the rule language (write null: null and missing are the same)",
    ],
    ["⟦typeof document.title⟧ == 'string'", "rule-construct typeof is not part of the rule language"],
    ["⟦document.public!⟧", "rule-construct the non-null assertion ! is not part of the rule language"],
    ["⟦document.public as boolean⟧", "rule-construct a type assertion is not part of the rule language"],
    ["⟦() => true⟧", "rule-construct a function is not part of the rule language"],
    ["⟦new Date()⟧ == now", "rule-construct new is not part of the rule language"],
    ["⟦await now⟧ == now", "rule-construct await is not part of the rule language"],
    ["⟦this⟧ == null", "rule-construct this is not part of the rule language"],
    ["⟦{}⟧ == null", "rule-construct an object literal is not part of the rule language"],
    ["⟦document.count++⟧ == 1", "rule-construct an arithmetic operator is not part of the rule language"],
    ["⟦-document.count⟧ == 1", "rule-construct an arithmetic operator is not part of the rule language"],
    ["document.count == ⟦1e999⟧", "rule-construct a number that overflows is not part of the rule language"],
    [
      "document[⟦user.id⟧] == 'a'",
      "rule-construct a computed member is not part of the rule language (name the field, as in document.title)",
    ],
    [
      "document[⟦'title'⟧] == 'a'",
      "rule-construct a member in brackets is not part of the rule language (write .title)",
    ],
    [
      "document.title.⟦toLowerCase⟧() == 'a'",
      "rule-construct the method toLowerCase is not part of the rule language (methods are includes, startsWith and endsWith)",
    ],
    [
      "document.title.⟦startWith⟧('a')",
      "rule-construct the method startWith is not part of the rule language (did you mean 'startsWith'?)",
    ],
    ["document.tags⟦?.⟧('a')", "rule-construct an optional call is not part of the rule language"],
    ["⟦import⟧('fs') == null", "rule-construct import is not part of the rule language"],
    [
      "⟦now⟧() == null",
      "rule-construct a call of now is not part of the rule language (write now without parentheses)",
    ],
    [
      "⟦hasRole⟧ == null",
      "rule-construct hasRole without a call is not part of the rule language (write hasRole('…'))",
    ],
    [
      "['a', ⟦user.id⟧].includes(document.title)",
      "rule-construct a list of anything but literals is not part of the rule language (combine comparisons with ||)",
    ],
    [
      "[⟦...document.tags⟧].includes('a')",
      "rule-construct a list of anything but literals is not part of the rule language (combine comparisons with ||)",
    ],
    [
      "['a', ⟦null⟧].includes(document.title)",
      "rule-construct null in a list is not part of the rule language (nothing equals it there; write x == null || […].includes(x))",
    ],
    [
      "document.public ⟦/* why */⟧ && true",
      "rule-construct a comment is not part of the rule language (write comments outside of the expression, after #)",
    ],
    [
      "document.⟦titel⟧ == 'a' ⟦// @ts-ignore⟧",
      "rule-construct a comment is not part of the rule language (write comments outside of the expression, after #)",
      "rule-unknown-field Property 'titel' does not exist on document (did you mean 'title'?)",
    ],
    [
      "(document.public ? document : document).⟦title⟧ == 'a'",
      "rule-construct a member of an operation is not part of the rule language (choose between members instead)",
    ],
  ]);
});
