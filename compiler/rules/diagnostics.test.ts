import { describe, expect, it } from "vitest";
import { declaredField } from "../../templates/testing/models.ts";
import { ruleSpan } from "./language/report.ts";
import { compileRules } from "./rules.ts";
import { golden } from "./testing/diagnostics.ts";
import { noteCollection, noteFields, noteRealm, ruleSource } from "./testing/realms.ts";

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

describe("names", () => {
  golden("read", [
    [
      "⟦public⟧ || true",
      "rule-unknown-name 'public' is not a name that rules know (did you mean document.public?)",
    ],
    ["⟦yes⟧", "rule-unknown-name 'yes' is not a name that rules know (write true)"],
    [
      "document.due_at < ⟦Date⟧.now()",
      "rule-unknown-name 'Date' is not a name that rules know (write now, ago('7d') or ahead('1h'))",
    ],
    [
      "⟦request⟧.auth.uid == 'a'",
      "rule-unknown-name 'request' is not a name that rules know (the caller is user, what is written is data)",
    ],
    [
      "⟦documnt⟧.title == 'a'",
      "rule-unknown-name 'documnt' is not a name that rules know (did you mean 'document'?)",
    ],
    [
      "⟦hasRol⟧('editor')",
      "rule-unknown-name 'hasRol' is not a name that rules know (did you mean 'hasRole'?)",
    ],
    [
      "⟦globalThis⟧ == null",
      "rule-unknown-name 'globalThis' is not a name that rules know (a rule knows document, user, now, appConfig, hasRole, ago, ahead)",
    ],
    [
      "⟦data⟧.title == 'a'",
      "rule-unavailable-name 'data' is not available in a read rule (nothing is written; what is stored is document)",
    ],
    [
      "⟦inOrg⟧(document._meta.⟦org⟧)",
      "rule-no-organizations inOrg needs organizations, and realm.yaml declares none (declare organizations with their roles in realm.yaml)",
      "rule-unknown-field Property 'org' does not exist on document._meta (documents have it only with organization)",
    ],
    [
      "⟦orgClaims⟧('o').plan == 'pro'",
      "rule-no-organizations orgClaims needs organizations, and realm.yaml declares none (declare organizations with their roles in realm.yaml)",
    ],
  ]);
  golden("create", [
    [
      "⟦document⟧.title == 'a'",
      "rule-unavailable-name 'document' is not available in a create rule (nothing is stored yet; what is being created is data)",
    ],
    [
      "data.⟦id⟧ == 'a'",
      "rule-unknown-field Property 'id' does not exist on data (it is there only with custom_id)",
    ],
  ]);
  golden("delete", [
    [
      "⟦data⟧.title == 'a'",
      "rule-unavailable-name 'data' is not available in a delete rule (nothing is written; what is stored is document)",
    ],
  ]);
  golden("field read", [
    [
      "⟦data⟧.title == 'a'",
      "rule-unavailable-name 'data' is not available in a field read rule (nothing is written; what is stored is document)",
    ],
  ]);
});

describe("fields", () => {
  golden("read", [
    [
      "document.⟦owner⟧ == user.id",
      "rule-unknown-field Property 'owner' does not exist on document (did you mean '_meta.owner'?)",
    ],
    [
      "user.profile.⟦birthday⟧ == 'a'",
      "rule-unknown-field Property 'birthday' does not exist on user.profile (its members are declared in realm.yaml, under profile)",
    ],
    [
      "appConfig.⟦beta⟧ == 'a'",
      "rule-unknown-field Property 'beta' does not exist on appConfig (its values stand in realm.yaml, under app_config)",
    ],
    [
      "document.⟦titel⟧ == 'a'",
      "rule-unknown-field Property 'titel' does not exist on document (did you mean 'title'?)",
    ],
    [
      "document.address.⟦citi⟧ == 'a'",
      "rule-unknown-field Property 'citi' does not exist on document.address (did you mean 'city'?)",
    ],
    [
      "document?.address?.⟦zip⟧ == 'a'",
      "rule-unknown-field Property 'zip' does not exist on document.address",
    ],
    [
      "document.lines.⟦sku⟧ == 'a'",
      "rule-unknown-field Property 'sku' does not exist on document.lines (a list)",
    ],
    [
      "document.title.⟦size⟧ == 1",
      "rule-unknown-field Property 'size' does not exist on document.title (a string)",
    ],
    [
      "document.⟦toString⟧ == null",
      "rule-unknown-field Property 'toString' does not exist on document (fields are declared in schema.json)",
    ],
    [
      "document[⟦'due-on'⟧] == null",
      "rule-unknown-field Property 'due-on' does not exist on document (did you mean 'due-at'?)",
    ],
    [
      "document._meta.⟦ownr⟧ == user.id",
      "rule-unknown-field Property 'ownr' does not exist on document._meta (did you mean 'owner'?)",
    ],
    ["user.⟦name⟧ == 'a'", "rule-unknown-field Property 'name' does not exist on user"],
    [
      "user.profile.⟦teem⟧ == 'a'",
      "rule-unknown-field Property 'teem' does not exist on user.profile (did you mean 'team'?)",
    ],
    [
      "appConfig.⟦trail_days⟧ == 1",
      "rule-unknown-field Property 'trail_days' does not exist on appConfig (did you mean 'trial_days'?)",
    ],
    [
      "document.⟦titel⟧ == 'a' && document.⟦titl⟧ == 'b'",
      "rule-unknown-field Property 'titel' does not exist on document (did you mean 'title'?)",
      "rule-unknown-field Property 'titl' does not exist on document (did you mean 'title'?)",
    ],
    ["document.due_at.⟦length⟧ == 10", "rule-unknown-field Property 'length' does not exist on a date"],
  ]);

  it("`_meta.deleted_at` is there only where the collection soft-deletes", () => {
    const rule = { read: "document._meta.deleted_at == null" };
    const { softDelete: _, ...plain } = noteCollection(rule);
    expect(compileRules(noteRealm(plain)).diagnostics.map(({ code }) => code)).toEqual([
      "rule-unknown-field",
    ]);
    expect(compileRules(noteRealm(noteCollection(rule))).diagnostics).toEqual([]);
  });

  it("`data.id` is there where clients choose ids", () => {
    const customId = { duplicateLimit: 20, span: ruleSource("", "").span };
    const collection = noteCollection({ create: "data.id == user.id" }, { customId });
    expect(compileRules(noteRealm(collection)).diagnostics).toEqual([]);
  });
});

describe("booleans", () => {
  golden("read", [
    [
      "⟦document.title⟧",
      "rule-not-boolean a rule must be true or false, but this is a string (say what it is compared with, for example != null)",
    ],
    [
      "⟦document.count⟧ && true",
      "rule-not-boolean an operand of && must be true or false, but this is a number (say what it is compared with, for example != null)",
    ],
    [
      "true || ⟦user⟧",
      "rule-not-boolean an operand of || must be true or false, but this is an object (write user != null for signed-in callers)",
    ],
    [
      "!⟦document.tags⟧",
      "rule-not-boolean the operand of ! must be true or false, but this is a list (compare its length, or use .includes(x))",
    ],
    [
      "⟦user.id⟧ ? true : false",
      "rule-not-boolean the condition of ?: must be true or false, but this is a string (say what it is compared with, for example != null)",
    ],
    ["user.mfa ? ⟦'yes'⟧ : true", "rule-not-boolean a rule must be true or false, but this is a string"],
    ["⟦null⟧", "rule-not-boolean a rule must be true or false, but this is null"],
    ["⟦now⟧", "rule-not-boolean a rule must be true or false, but this is a date"],
    [
      "⟦document.mixed⟧ && ⟦document.due_at⟧",
      "rule-not-boolean an operand of && must be true or false, but this is a number or a string (say what it is compared with, for example != null)",
      "rule-not-boolean an operand of && must be true or false, but this is a date (say what it is compared with, for example != null)",
    ],
  ]);
});

describe("comparisons", () => {
  golden("update", [
    [
      "⟦document.status == 'opne'⟧",
      "rule-comparison this comparison always has the same outcome: 'closed' | 'open' and 'opne' have no overlap (did you mean 'open'?)",
    ],
    [
      "⟦document.count == 'a'⟧",
      "rule-comparison this comparison always has the same outcome: number and string have no overlap",
    ],
    ["⟦document.count < 'a'⟧", "rule-comparison < cannot compare a number with a string"],
    ["document.count < ⟦null⟧", "rule-comparison only == and != compare with null"],
    ["⟦document.public < document.shared⟧", "rule-comparison true and false have no order"],
    ["⟦document.mixed < 5⟧", "rule-comparison < cannot compare a string or a number with a number"],
    [
      "⟦document.tags⟧ == data.tags",
      "rule-comparison lists cannot be compared (use .includes(x) or .length)",
    ],
    [
      "⟦document.address⟧ == data.address",
      "rule-comparison objects cannot be compared (compare their members)",
    ],
    [
      "document._meta.owner == ⟦user⟧",
      "rule-comparison user alone can only be compared with null (compare user.id)",
    ],
    ["⟦document⟧ == data", "rule-comparison objects cannot be compared (compare their members)"],
    ["⟦document == null⟧", "rule-comparison document is always there"],
    ["⟦document._meta != null⟧", "rule-comparison document._meta is always there"],
    [
      "⟦document.either⟧ == 'a'",
      "rule-comparison this value may be a list; it can only be compared with null",
    ],
    ["⟦document.due_at == document.title⟧", "rule-comparison a date never equals a string"],
    ["⟦document.title < now⟧", "rule-comparison a string has no order with a date"],
    [
      "document.due_at < ⟦'31.1.2026'⟧",
      "rule-date '31.1.2026' is not a date (write '2026-01-31' or '2026-01-31T10:00:00Z', or use now, ago('7d') or ahead('1h'))",
    ],
    [
      "document.day == ⟦'2026-02-30'⟧",
      "rule-date '2026-02-30' is not a date (write '2026-01-31' or '2026-01-31T10:00:00Z', or use now, ago('7d') or ahead('1h'))",
    ],
    [
      "['open', ⟦'clsed'⟧].includes(document.status)",
      "rule-comparison 'clsed' is never a value here (did you mean 'closed'?)",
    ],
    ["document.tags.includes(⟦null⟧)", "rule-comparison no element of a list is null"],
    ["document.tags.includes(⟦5⟧)", "rule-type a number is given where a string is wanted"],
    [
      "⟦document.lines.includes(document.title)⟧",
      "rule-comparison a list of an object never includes a string",
    ],
    ["⟦document.either⟧.includes('a')", "rule-type includes() is not for what may be a string or a list"],
    ["⟦document.due_at⟧.startsWith('2026')", "rule-type startsWith() is not for a date"],
    ["document.title.startsWith(⟦document.due_at⟧)", "rule-type startsWith() takes a string, not a date"],
    ["document.title.⟦includes⟧()", "rule-type expected 1 arguments, but got 0"],
    [
      "document.title == 'a' && ⟦document.title == 'b'⟧",
      "rule-comparison this comparison always has the same outcome: 'a' and 'b' have no overlap",
    ],
    [
      "document.status != 'open' && document.status != 'closed' && ⟦document.status⟧.includes('x')",
      "rule-comparison document.status can have no value here: what stands before excludes them all",
    ],
  ]);
});

describe("what stands before a comparison", () => {
  const disjoint = (a: string, b: string, hint = "") =>
    `rule-comparison this comparison always has the same outcome: ${a} and ${b} have no overlap${hint}`;
  golden("update", [
    ["(document.title == 'a' || document.title == 'b') && document.title == 'b'"],
    [
      "(document.title == 'a' || document.title == 'b') && ⟦document.title == 'xyz'⟧",
      disjoint("'a' | 'b'", "'xyz'", " (its values are 'a' or 'b')"),
    ],
    ["document.status != 'open' && ⟦document.status == 'open'⟧", disjoint("'closed'", "'open'")],
    ["document.status == 'open' || ⟦document.status == 'open'⟧", disjoint("'closed'", "'open'")],
    ["!(document.status == 'open') && ⟦document.status == 'open'⟧", disjoint("'closed'", "'open'")],
    ["document.status == 'open' ? true : ⟦document.status != 'open'⟧", disjoint("'closed'", "'open'")],
    ["document.public && ⟦document.public == false⟧", disjoint("true", "false")],
    ["(document.title == 'a') == true && ⟦document.title == 'b'⟧", disjoint("'a'", "'b'")],
    ["document.title.length == 1 && ⟦document.title.length == 2⟧", disjoint("1", "2")],
    [
      "document.title == document.status && ⟦document.title == 'a'⟧",
      disjoint("'closed' | 'open'", "'a'", " (its values are 'closed' or 'open')"),
    ],
    ["document.mixed == 5 && document.mixed < 6"],
    ["document.mixed == document.title && ⟦document.mixed == 5⟧", disjoint("string", "number")],
    ["⟦(document.public ? 'a' : 'b') == document.status⟧", disjoint("'a' | 'b'", "'closed' | 'open'")],
    ["now == '2026-01-01' && ⟦now == '2026-01-02'⟧", disjoint("'2026-01-01'", "'2026-01-02'")],
    ["document.title == 'a' && data.title == 'b'"],
    ["document.title == 'a' || document.title == 'b'"],
    ["(document.status == 'open' ? document.public : document.shared) && document.status == 'closed'"],
  ]);
});

describe("helpers", () => {
  golden("update", [
    ["hasRole('editor', ⟦5⟧)", "rule-type a number is given where a string is wanted"],
    ["hasRole(⟦document.address⟧)", "rule-type an object is given where a string is wanted"],
    ["hasRole(⟦document.mixed⟧)", "rule-type a string or a number is given where a string is wanted"],
    ["document.title.includes(⟦document.tags⟧)", "rule-type a list is given where a string is wanted"],
    [
      "['a', 1].includes(⟦document.public⟧)",
      "rule-type a boolean is given where a string or a number is wanted",
    ],
    ["document.title.includes('a', ⟦'b', 'c'⟧)", "rule-type expected 1 arguments, but got 3"],
    ["document.due_at < ago('7d', ⟦'8d'⟧)", "rule-type expected 1 arguments, but got 2"],
    [
      "⟦document.address⟧.⟦includes⟧('a')",
      "rule-unknown-field Property 'includes' does not exist on document.address",
      "rule-type includes() is not for an object",
    ],
    [
      "⟦document.tags⟧.⟦startsWith⟧('a')",
      "rule-unknown-field Property 'startsWith' does not exist on document.tags (a list)",
      "rule-type startsWith() is not for a list",
    ],
    ["⟦null⟧.length == 3", "rule-comparison only == and != compare with null"],
  ]);
  golden("read", [
    [
      "hasRole(⟦'edtor'⟧)",
      "rule-unknown-role there is no role 'edtor' in realm.yaml (did you mean 'editor'?)",
    ],
    [
      "hasRole('editor', ⟦'zzz'⟧)",
      "rule-unknown-role there is no role 'zzz' in realm.yaml (roles are 'admin' or 'editor')",
    ],
    [
      "hasRole(user.mfa ? 'editor' : ⟦'zzz'⟧)",
      "rule-unknown-role there is no role 'zzz' in realm.yaml (roles are 'admin' or 'editor')",
    ],
    [
      "user.roles.includes(⟦'edtor'⟧)",
      "rule-unknown-role there is no role 'edtor' in realm.yaml (did you mean 'editor'?)",
    ],
    [
      "⟦!document.title == 'a'⟧",
      "rule-comparison this comparison always has the same outcome: boolean and string have no overlap (! belongs to what stands right behind it; write a != b, or !(a == b))",
    ],
    ["hasRole(⟦5⟧)", "rule-type a number is given where a string is wanted"],
    ["hasRole(⟦null⟧)", "rule-type hasRole() takes names of roles, not null"],
    ["⟦hasRole⟧()", "rule-type expected at least 1 arguments, but got 0"],
    [
      "document.due_at < ago(⟦'1 week'⟧)",
      "rule-duration ago() takes a duration in quotes, not '1 week' (write a whole number and s, m, h or d: '30s', '15m', '8h', '7d')",
    ],
    [
      "document.due_at < ahead(⟦document.title⟧)",
      "rule-duration ahead() takes a duration in quotes, not document.title (write a whole number and s, m, h or d: '30s', '15m', '8h', '7d')",
    ],
    [
      "document.due_at < ago(⟦'99999999999d'⟧)",
      "rule-duration ago() takes a duration in quotes, not '99999999999d' (it is too long; the longest is '3650000d', 10,000 years)",
    ],
  ]);
});

describe("rules that filter lists", () => {
  const unfit = "a read rule also filters lists, and this part cannot be a filter:";
  golden("read", [
    [
      "user.mfa || ⟦document.title == document.needed_role⟧",
      `rule-not-filterable ${unfit} comparing two values of the document with each other`,
    ],
    [
      "!(⟦document.due_at < document.day⟧)",
      `rule-not-filterable ${unfit} comparing two values of the document with each other`,
    ],
    ["⟦document.tags.length⟧ > 3", `rule-not-filterable ${unfit} the length of a document's value`],
    [
      "⟦document.tags.includes(document.title)⟧",
      `rule-not-filterable ${unfit} looking for one value of a document in another`,
    ],
    [
      "⟦document.title.startsWith(document.needed_role)⟧",
      `rule-not-filterable ${unfit} looking for one value of a document in another`,
    ],
    [
      "⟦user.email.includes(document.title)⟧",
      `rule-not-filterable ${unfit} looking for a value of the document inside another text`,
    ],
  ]);

  it("say which rule it is", () => {
    const { diagnostics } = compileRules(
      noteRealm(noteCollection({ restore: "document.title == document.needed_role" })),
    );
    expect(diagnostics[0]?.message).toMatch(/^a restore rule also filters lists/);
  });
});

describe("Rule expressions: a warning where anonymous callers get in by an absent value under a negation", () => {
  const warned = (value: string): string =>
    `rule-absent-negation anonymous callers satisfy this rule only because ${value} is absent for them here (add \`user != null &&\` before it, or \`user == null ||\` if anonymous callers are meant)`;
  golden("read", [
    ["⟦document._meta.owner != user.id⟧", warned("user.id")],
    ["!(⟦user.mfa⟧) && document.public", warned("user.mfa")],
    ["!⟦hasRole('editor')⟧", warned("every role")],
    [
      "!(document.public && user.profile.team == 'a') && hasRole('editor') || ⟦user.locale != 'a'⟧",
      warned("user.locale"),
    ],
    ["user != null && document._meta.owner != user.id"],
    ["user == null || document._meta.owner != user.id"],
    ["document.public || document._meta.owner != user.id"],
    ["user.id == null"],
    ["hasRole('editor') ? true : document.public"],
    ["document.title != 'a'"],
    ["hasRole('editor') && document._meta.owner != user.id"],
  ]);
});

describe("places", () => {
  it("follow the text through the lines of the YAML", () => {
    const source = {
      ...ruleSource("document.public || document.titel == 'a'", "read"),
      // A folded block: the second line of the file begins at `||`.
      positions: [
        { offset: 0, line: 4, column: 5 },
        { offset: 16, line: 5, column: 7 },
      ],
    };
    const { diagnostics } = compileRules(noteRealm(noteCollection({}, { rules: { read: source } })));
    expect(diagnostics.map(({ span }) => span)).toEqual([
      { file: "desk/db/notes/collection.yaml", line: 5, column: 19, endLine: 5, endColumn: 24 },
    ]);
    expect(ruleSpan(source, { start: 9, end: 18 })).toMatchObject({
      line: 4,
      column: 14,
      endLine: 5,
      endColumn: 9,
    });
  });

  it("what is wrong with a rule under `write` is said once for its three operations", () => {
    const source = ruleSource("hasRole('edtor')", "write");
    const collection = noteCollection({}, { rules: { create: source, update: source, delete: source } });
    expect(compileRules(noteRealm(collection)).diagnostics).toHaveLength(1);
  });

  it("a rule under `write` has neither document nor data", () => {
    const source = ruleSource("document.public || data.public", "write");
    const collection = noteCollection({}, { rules: { create: source, update: source, delete: source } });
    const hint = "a rule under write serves create, update and delete; give them rules of their own";
    expect(compileRules(noteRealm(collection)).diagnostics).toMatchObject([
      { message: "'document' is not available in a create rule", hint },
      { message: "'data' is not available in a delete rule", hint },
    ]);
  });

  it("a broken rule spoils no other", () => {
    const collection = noteCollection({
      read: "document.public ||",
      update: "document.titel == 'a'",
      delete: "hasRole('editor')",
    });
    const { diagnostics, collections } = compileRules(noteRealm(collection));
    expect(diagnostics.map(({ code }) => code)).toEqual(["rule-syntax", "rule-unknown-field"]);
    expect(Object.keys(collections.get("db/notes")?.rules ?? {})).toEqual(["delete"]);
  });

  it("realms without authentication have no rules", () => {
    const realm = noteRealm(noteCollection({ read: "nonsense(" }), { auth: false });
    expect(compileRules(realm)).toEqual({ collections: new Map(), functions: new Map(), diagnostics: [] });
  });

  it("a realm may have fields and values of any name", () => {
    const awkward = ["__proto__", "constructor", "a-b", 'q"uote', "*/", "größe", "null"];
    const fields = [
      ...noteFields,
      ...awkward.map((name) => declaredField(name, { values: ["x", "*/", '"'] })),
    ];
    const text = awkward
      .map((name) => `document${/^[a-z_ößü]+$/.test(name) ? `.${name}` : `['${name}']`} == '*/'`)
      .join(" || ");
    expect(compileRules(noteRealm(noteCollection({ read: text }, { fields }))).diagnostics).toEqual([]);
  });
});
