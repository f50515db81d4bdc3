import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openapiDocument } from "../../templates/openapi/document.ts";
import type { Change, Changes } from "../settings/change.ts";
import { chapters } from "./catalogue.ts";
import { diffRealms } from "./diff.ts";
import { analyseSides, type Sides } from "./sides.ts";
import { type Case, writeRealm } from "./testing/case.ts";
import { collectionCases } from "./testing/collection-cases.ts";
import { fileCases } from "./testing/file-cases.ts";
import { functionCases, functionSettingCases } from "./testing/function-cases.ts";
import { organizationCases } from "./testing/organization-cases.ts";
import { realmCases } from "./testing/realm-cases.ts";
import { ruleCases } from "./testing/rule-cases.ts";
import { schemaCases } from "./testing/schema-cases.ts";

const checks: Changes = Object.assign({}, ...Object.values(chapters));
const cases: Readonly<Record<string, Case>> = {
  ...realmCases,
  ...collectionCases,
  ...fileCases,
  ...organizationCases,
  ...functionCases,
  ...functionSettingCases,
  ...schemaCases,
  ...ruleCases,
};

const folder = mkdtempSync(join(tmpdir(), "realmc-diff-test-"));
let changes: readonly Change[] = [];
let sides: Sides;

/** All cases at once, a realm each. */
beforeAll(async () => {
  const [old, now] = [join(folder, "old"), join(folder, "now")];
  for (const [check, each] of Object.entries(cases)) {
    writeRealm(join(old, check), each.old);
    writeRealm(join(now, check), each.now);
  }
  writeRealm(join(old, "old-realm"), {});
  writeRealm(join(now, "new-realm"), {});
  sides = await analyseSides(old, now);
  const found = [sides.old, sides.now].flatMap(({ diagnostics }) => diagnostics);
  const errors = found.filter(({ severity }) => severity === "error");
  expect(errors.map(({ code, span }) => `${span.file} ${code}`)).toEqual([]);
  changes = diffRealms(sides.old.realms, sides.now.realms);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("every check of the catalogue", () => {
  test.each(Object.entries(cases))("%s", (check, { line, also = [] }) => {
    const own = changes.filter(({ realm }) => realm === check);
    expect(own.filter((change) => change.check === check)).toContainEqual({
      kind: checks[check]?.kind,
      realm: check,
      where: line.slice(0, line.indexOf(": ")),
      message: line.slice(line.indexOf(": ") + 2),
      check,
    });
    expect([...new Set(own.map((change) => change.check))].sort()).toEqual([check, ...also].sort());
  });

  test("but those of whole realms has a case", () => {
    const ofRealms = ["realm-removed", "realm-added"];
    expect([...Object.keys(cases), ...ofRealms].sort()).toEqual(Object.keys(checks).sort());
  });

  test("realm-removed, realm-added", () => {
    const whole = changes.filter(({ where }) => where === "");
    expect(whole).toEqual([
      {
        kind: "breaking",
        realm: "old-realm",
        where: "",
        message: "the realm is gone",
        check: "realm-removed",
      },
      { kind: "additive", realm: "new-realm", where: "", message: "the realm is new", check: "realm-added" },
    ]);
  });

  test("what is internal leaves the API's description as it is, but for texts", () => {
    const internal = Object.keys(cases).filter((check) =>
      changes.every(({ realm, kind }) => realm !== check || kind === "internal"),
    );
    expect(internal.length).toBeGreaterThan(6);
    for (const check of internal.filter((each) => each !== "schema-rewritten")) {
      const [old, now] = [sides.old, sides.now].map(({ realms }) => {
        const side = realms.find(({ realm }) => realm.name === check);
        return side && withoutTexts(openapiDocument(side.realm, side.rules));
      });
      expect(now).toEqual(old);
    }
  });

  test("leaks come first, then breaking changes, then by realm", () => {
    const kinds = changes.map(({ kind }) => kind);
    expect(kinds).toEqual([...kinds].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
  });
});

const order = ["leak", "breaking", "additive", "internal"];

function withoutTexts(document: object): unknown {
  return JSON.parse(
    JSON.stringify(document, (key, value) =>
      ["description", "examples", "summary"].includes(key) ? undefined : value,
    ),
  );
}
