/** Every refusal that http-api.md names ("stop startup and config checks") is shown by a golden case. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { nameProblems } from "../source/names.ts";

const testdata = fileURLToPath(new URL("testdata", import.meta.url));

/** The first lines of all diagnostics: `file:line:column severity code message`. */
const lines = readdirSync(testdata).flatMap((name) =>
  readFileSync(`${testdata}/${name}/expected.txt`, "utf8").split("\n"),
);

/** There is an error with this code and message in a file of this name. */
function shown(file: string, code: string, message: string): void {
  const errors = lines.filter((line) => line.includes(`${file}:`) && line.includes(` error ${code} `));
  expect(errors).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
}

describe("References: invalid declarations are refused, naming the file and the reference", () => {
  test.each([
    ["missing collection", "missing-key", "'collection' is missing in '\\w+'"],
    ["bad name", "reference-name", "reference name '.*' may have"],
    ["unknown database", "reference-database", "reference '\\w+' names the database"],
    ["unknown collection", "reference-collection", "reference '\\w+' names the collection"],
    ["undeclared source field", "reference-field", "reference '\\w+' reads '\\w+', which is not a declared"],
    ["wrongly typed source field", "reference-field-type", "reference '\\w+' needs a string in"],
    [
      "source of many that is no array",
      "reference-field-type",
      "reference '\\w+' needs an array of strings in",
    ],
    ["source inside an array", "reference-inside-array", "reference '\\w+' reads .* inside the array"],
    ["many on _meta.owner", "reference-meta-many", "reference '\\w+' has many: true, but '_meta.owner'"],
    ["many on _meta.created_by", "reference-meta-many", "'\\w+' has many: true, but '_meta.created_by'"],
    ["other _meta fields", "reference-meta", "reference '\\w+' cannot read '_meta.updated_by'"],
    ["missing unique index for key", "reference-key-index", "reference '\\w+' looks for"],
    ["name of another schema field", "reference-name-taken", "reference '\\w+' has the name of another"],
    ["bad max_expand", "reference-max-expand", "reference '\\w+' must be at least 1"],
    ["too large max_expand", "reference-max-expand", "reference '\\w+' must be at most 100"],
    ["max_expand without many", "reference-max-expand", "reference '\\w+' needs many"],
  ])("%s", (_, code, message) => {
    shown("collection.yaml", code, message);
  });
});

describe("Concurrency 5: public caching is refused", () => {
  test.each([
    ["without a valid max_age", "cache-max-age", "from 1 to 3600 seconds"],
    ["without a read rule", "cache-without-read", "needs a read rule"],
    ["with one that anonymous callers can never satisfy", "cache-anonymous", "can never satisfy"],
    ["with one that depends on the clock", "cache-clock", "the read rule depends on the clock"],
    [
      "with a field whose read rule depends on the clock",
      "cache-clock",
      "the read rule of the field 'secret' depends on the clock",
    ],
  ])("%s", (_, code, message) => {
    shown("collection.yaml", code, message);
  });
});

test("Document 4: files are declared in the collection settings alone, and only in realms with storage", () => {
  shown("schema.json", "wrong-value", "'type' must be 'array', 'boolean'.*or 'string', not '");
  shown("collection.yaml", "files-without-storage", "realm.yaml declares none");
  shown("collection.yaml", "file-name-taken", "schema.json declares a field of this name");
});

test("Hierarchy and naming: realm names have at most 54 characters, names of one parent differ by more than case", () => {
  expect(nameProblems("realm", "", ["a".repeat(54)])).toEqual([]);
  expect(nameProblems("realm", "", ["a".repeat(55)])).toHaveLength(1);
  expect(nameProblems("database", "", ["Items", "items"])).toHaveLength(1);
  expect(nameProblems("collection", "", ["_private", "a.b", "a b"])).toHaveLength(3);
});
