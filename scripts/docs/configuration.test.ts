import { readFileSync, writeFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { withTables } from "./configuration.ts";

const file = new URL("../../docs/configuration.md", import.meta.url);

test("the published schemas are valid by draft 2020-12", () => {
  const ajv = new Ajv2020({ strict: false });
  for (const name of ["realm", "collection", "indexes", "migration", "rule-test", "schema"]) {
    const schema: unknown = JSON.parse(
      readFileSync(new URL(`../../docs/schemas/${name}.schema.json`, import.meta.url), "utf8"),
    );
    expect(ajv.validate("https://json-schema.org/draft/2020-12/schema", schema), name).toBe(true);
  }
});

describe("docs/configuration.md", () => {
  test("has the tables of the schemas (UPDATE_DOCS=1 writes them)", () => {
    const written = readFileSync(file, "utf8");
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(file, withTables(written));
    expect(readFileSync(file, "utf8")).toBe(withTables(written));
  });

  test("has a table for every file", () => {
    const text = withTables(readFileSync(file, "utf8"));
    for (const row of [
      "| `auth` | `enabled`, `disabled` | required |",
      "| `references.<name>.collection` | string | required |",
    ]) {
      expect(text).toContain(row);
    }
    expect(text).toContain("| `roles.<name>.admin` | true, false, 'read' or a list of areas");
    expect(text).toContain("| `storage.path_style` | boolean | `false` |");
    expect(text).toContain("| `files.<name>.versions.<name>.width` | integer 1-8192 |");
    expect(text.match(/<!-- keys: /g)).toHaveLength(5);
  });
});
