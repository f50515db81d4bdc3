/** Whatever passes `check` builds: random schemas through all stages. `SCHEMAS_SEED=<n>` tries from another seed. */
import { rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../runtime/json.ts";
import { runs } from "../runtime/testing/random.ts";
import { hasErrors } from "./diagnostics/sort.ts";
import { analyse, emitRealm } from "./pipeline.ts";
import { folderWith } from "./schema/testing/checked.ts";
import { randomSchemaWithData } from "./schema/testing/random-schemas.ts";

const seed = Number(process.env["SCHEMAS_SEED"] ?? 34);

/** The emitted files, or undefined where `check` finds errors. */
async function built(schema: JsonValue): Promise<ReadonlyMap<string, string> | undefined> {
  const folder = folderWith(schema);
  try {
    const { realms, diagnostics } = await analyse(folder);
    if (hasErrors(diagnostics)) return undefined;
    const emitted = await Promise.all(realms.map((each) => emitRealm(each)));
    return new Map(emitted.flatMap(({ files }) => files.map(({ path, text }) => [path, text] as const)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("what passes check builds", () => {
  test.each<JsonObject>([
    { const: { $ref: "#/nope" } },
    { const: { $ref: "#" } },
    { const: { $ref: "#/$defs/there" }, $defs: { there: { type: "string" } } },
    { enum: ["a", { $ref: "#/nope" }, [{ $ref: "#" }]] },
    { const: { hasOwnProperty: 1 } },
    { items: { enum: [{ $id: "https://example.com/" }, { $anchor: "a" }, { $dynamicRef: "#a" }] } },
    { default: { $ref: "#/nope" }, examples: [{ $ref: "#/nope" }] },
  ])("%j", async (schema) => {
    const files = await built(schema);
    expect([...(files?.keys() ?? [])]).toContain("r/d/c/types.ts");
  });

  test("$ref inside of const and enum is data of the types, too", async () => {
    const files = await built({
      type: "object",
      properties: { one: { const: { $ref: "#/nope" } }, some: { enum: ["x", { $ref: "#" }] } },
    });
    expect(files?.get("r/d/c/types.ts")).toMatch(/one\?: \{ \$ref: "#\/nope" \}/);
    expect(files?.get("r/d/c/types.ts")).toMatch(/some\?: "x" \| \{ \$ref: "#" \}/);
  });

  test("random schemas", async () => {
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(randomSchemaWithData, async (schema) => {
        if ((await built(schema)) !== undefined) passed += 1;
      }),
      { numRuns: runs(300), seed },
    );
    expect(passed).toBeGreaterThan(runs(300) / 10);
  });
});
