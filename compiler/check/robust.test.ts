import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import { analyse } from "../pipeline.ts";
import { catalogue } from "./catalogue.ts";

/** Words that mean something somewhere, so that random values come near to configurations. */
const words = fc.constantFrom(
  ..."auth enabled disabled roles signup open profile cors origins sessions lifetime 30d cookie rules read write create true fields references collection field key many max_expand cache public max_age soft_delete retention custom_id user pattern indexes unique name text type object string array properties items $ref # #/$defs/a #/properties/a ../c/schema.json https://x.y $defs a b allOf anyOf oneOf not if enum const format date date-time x-svc-store required additionalProperties patternProperties id _meta _meta.owner __proto__ constructor".split(
    " ",
  ),
);

const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    words,
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 100, ""),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(words, tie("value"), { maxKeys: 4 }),
  ),
}));

const member = fc.dictionary(words, anything, { maxKeys: 6 });

test("no configuration makes the compiler fail: whatever is written, it gives diagnostics of the catalogue", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-fuzz-"));
  const collection = join(folder, "a/b/c");
  mkdirSync(collection, { recursive: true });
  const names = ["realm.yaml", "b/c/schema.json", "b/c/collection.yaml", "b/c/indexes.json"] as const;
  const sound = [{ auth: "enabled" }, { type: "object" }, {}, {}];
  try {
    await fc.assert(
      fc.asyncProperty(fc.tuple(member, member, member, member), fc.nat({ max: 15 }), async (files, mask) => {
        names.forEach((name, at) => {
          const random = (mask >> at) % 2 === 1 ? files[at] : { ...sound[at], ...files[at] };
          writeFileSync(join(folder, "a", name), JSON.stringify(random));
        });
        const { diagnostics } = await analyse(folder);
        for (const { code, span, message } of diagnostics) {
          expect(Object.keys(catalogue)).toContain(code);
          expect(message).not.toMatch(/undefined|\[object|\{\w+\}/);
          expect(span.line).toBeGreaterThan(0);
          expect(span.column).toBeGreaterThan(0);
          expect(span.endLine > span.line || span.endColumn >= span.column).toBe(true);
        }
      }),
      { numRuns: runs(150) },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
