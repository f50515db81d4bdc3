import { describe, expect, it } from "vitest";
import { declaredField } from "../../templates/testing/models.ts";
import { ruleSpan } from "./language/report.ts";
import { compileRules } from "./rules.ts";
import { golden } from "./testing/diagnostics.ts";
import { noteCollection, noteFields, noteRealm, ruleSource } from "./testing/realms.ts";

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
    expect(compileRules(realm)).toEqual({
      collections: new Map(),
      functions: new Map(),
      migrations: new Map(),
      diagnostics: [],
    });
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
