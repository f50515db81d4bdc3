/**
 * The official JSON Schema Test Suite, draft 2020-12, through emitted validators. `testdata/json-schema-suite.json` lists
 * exactly what differs, and why.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { packageRoot } from "../package/package.ts";
import { validatorOf } from "./testing/validator.ts";

const suite = join(packageRoot, "../shared/data/json-schema-test-suite/tests/draft2020-12");
const exceptionsFile = join(packageRoot, "compiler/schema/testdata/json-schema-suite.json");

/** Reason to file to cases: a group where its schema is refused, else `<group> > <test>`. */
type Exceptions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

describe.skipIf(!existsSync(suite))(
  "JSON Schema Test Suite (skipped where ../shared/data is not present)",
  () => {
    const exceptions: Exceptions = existsSync(suite) ? JSON.parse(readFileSync(exceptionsFile, "utf8")) : {};
    const files = existsSync(suite) ? suiteFiles() : [];

    test.each(files)("%s", (file) => {
      const expected = Object.values(exceptions).flatMap((cases) => cases[file] ?? []);
      expect(differences(file)).toEqual([...expected].sort());
    });

    test("exceptions name files of the suite", () => {
      const named = Object.values(exceptions).flatMap((cases) => Object.keys(cases));
      expect(named.filter((file) => !files.includes(file))).toEqual([]);
    });
  },
);

function suiteFiles(): string[] {
  return ["", "optional/", "optional/format/"].flatMap((folder) =>
    readdirSync(join(suite, folder))
      .filter((name) => name.endsWith(".json"))
      .map((name) => folder + name),
  );
}

/** What emitted validators see otherwise than a file of the suite. */
function differences(file: string): string[] {
  const groups: readonly JsonObject[] = JSON.parse(readFileSync(join(suite, file), "utf8"));
  return groups.flatMap(groupDifferences).sort();
}

function groupDifferences(group: JsonObject): string[] {
  const { description, schema = true, tests } = group;
  const cases = Array.isArray(tests) ? tests.filter(isJsonObject) : [];
  try {
    const validate = validatorOf({
      path: "s.json",
      pointer: "",
      document: schema,
      files: [{ path: "s.json", document: schema }],
    });
    return cases
      .filter(({ data = null, valid }) => answer(validate, data) !== valid)
      .map((each) => `${description} > ${each["description"]}`);
  } catch {
    return [String(description)];
  }
}

function answer(validate: (data: JsonValue) => boolean, data: JsonValue): boolean | "failed" {
  try {
    return validate(data);
  } catch {
    return "failed";
  }
}
