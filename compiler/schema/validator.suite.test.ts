/**
 * The official JSON Schema Test Suite, draft 2020-12, through emitted validators. Of the required tests each group is judged as
 * the suite says, or the build refuses its schema where it stands. `testdata/json-schema-suite.json` lists what differs in the
 * optional ones, and why.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { packageRoot } from "../package/package.ts";
import { schemaErrors } from "./testing/checked.ts";
import { validatorOf } from "./testing/validator.ts";

const suite = join(packageRoot, "../shared/data/json-schema-test-suite/tests/draft2020-12");
const exceptionsFile = join(packageRoot, "compiler/schema/testdata/json-schema-suite.json");

/** Reason to file to cases: a group where its schema is refused, else `<group> > <test>`. */
type Exceptions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

describe.skipIf(!existsSync(suite))(
  "JSON Schema Test Suite (skipped where ../shared/data is not present)",
  () => {
    test.each(filesIn(""))("required: %s", async (file) => {
      const wrong: string[] = [];
      for (const group of groupsOf(file)) {
        const found = differences(group);
        // Formats are asserted here: the suite takes them for annotations, and says of what is none that it is valid.
        const of =
          file === "format.json" ? found.filter((each) => !/ is only an annotation /.test(each)) : found;
        if (of.length > 0 && !(await isRefused(group))) wrong.push(...of);
      }
      expect(wrong).toEqual([]);
    });

    test("required: formats are asserted, or the build refuses them", async () => {
      for (const group of groupsOf("format.json")) {
        const invalid = casesOf(group).filter(({ description }) =>
          String(description).endsWith("is only an annotation by default"),
        );
        expect(invalid).toHaveLength(1);
        if (!(await isRefused(group))) expect(differences(group)).toHaveLength(1);
      }
    });

    const exceptions: Exceptions = existsSync(suite) ? JSON.parse(readFileSync(exceptionsFile, "utf8")) : {};
    const optional = ["optional/", "optional/format/"].flatMap(filesIn);

    test.each(optional)("%s", (file) => {
      const expected = Object.values(exceptions).flatMap((cases) => cases[file] ?? []);
      expect(groupsOf(file).flatMap(differences).sort()).toEqual([...expected].sort());
    });

    test("exceptions name files of the optional tests", () => {
      const named = Object.values(exceptions).flatMap((cases) => Object.keys(cases));
      expect(named.filter((file) => !optional.includes(file))).toEqual([]);
    });
  },
);

function filesIn(folder: string): string[] {
  if (!existsSync(suite)) return [];
  return readdirSync(join(suite, folder))
    .filter((name) => name.endsWith(".json"))
    .map((name) => folder + name);
}

function groupsOf(file: string): readonly JsonObject[] {
  return JSON.parse(readFileSync(join(suite, file), "utf8"));
}

function casesOf({ tests }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tests) ? tests.filter(isJsonObject) : [];
}

/** What emitted validators see otherwise than a group of tests; the group itself where its schema is refused. */
function differences(group: JsonObject): string[] {
  const { description, schema = true } = group;
  try {
    const validate = validatorOf({
      path: "s.json",
      pointer: "",
      document: schema,
      files: [{ path: "s.json", document: schema }],
    });
    return casesOf(group)
      .filter(({ data = null, valid }) => answer(validate, data) !== valid)
      .map((each) => `${description} > ${each["description"]}`);
  } catch {
    return [String(description)];
  }
}

async function isRefused({ schema = true }: JsonObject): Promise<boolean> {
  return (await schemaErrors(schema)).length > 0;
}

function answer(validate: (data: JsonValue) => boolean, data: JsonValue): boolean | "failed" {
  try {
    return validate(data);
  } catch {
    return "failed";
  }
}
