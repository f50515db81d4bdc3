import { expect, it } from "vitest";
import type { Collection, Realm } from "../model/model.ts";
import { compileRules } from "./rules.ts";
import { noteCollection, noteFields, noteRealm, organizations, ruleSource } from "./testing/realms.ts";

const read = ruleSource("document.title == 'a' || hasRole('editor')", "read");

function compiled(further: Partial<Collection> = {}, ofRealm: Partial<Realm> = {}) {
  const { collections, diagnostics } = compileRules(
    noteRealm(noteCollection({}, { rules: { read }, ...further }), ofRealm),
  );
  return { rule: collections.get("db/notes")?.rules.read, diagnostics };
}

it("a rule that goes by the same as before is the one compiled before, wherever it stands", () => {
  const { rule } = compiled();
  expect(rule).toBeDefined();
  const moved = { ...read, positions: [{ offset: 0, line: 7, column: 3 }] };
  expect(compiled({ rules: { read: moved } }).rule).toBe(rule);
  expect(compiled({ indexes: [] }).rule).toBe(rule);
});

it("a rule is compiled anew for anything that it goes by: fields, roles, profile, app_config, organizations", () => {
  const { rule } = compiled();
  const fields = noteFields.filter(({ path }) => path !== "title");
  expect(compiled({ fields }).diagnostics.map(({ code }) => code)).toEqual(["rule-unknown-field"]);
  expect(compiled({}, { roles: [{ name: "admin" }] }).diagnostics.map(({ code }) => code)).toEqual([
    "rule-unknown-role",
  ]);
  for (const [ofCollection, ofRealm] of [
    [{ fields: noteFields.filter(({ path }) => path !== "count") }, {}],
    [{}, { appConfig: { trial_days: "14" } }],
    [{ customId: { duplicateLimit: 20, span: read.span } }, {}],
    [{}, { organizations }],
  ] as const)
    expect(compiled(ofCollection, ofRealm).rule).not.toBe(rule);
});

it("what was found wrong before is said at the place where it stands now", () => {
  const wrong = ruleSource("document.titel == 'a'", "read");
  const places = [4, 9].map((line) => {
    const moved = { ...wrong, positions: [{ offset: 0, line, column: 1 }] };
    return compiled({ rules: { read: moved } }).diagnostics.map(({ span }) => span.line);
  });
  expect(places).toEqual([[4], [9]]);
});
