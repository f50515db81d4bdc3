import { transformSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.ts";
import { runs } from "../../runtime/testing/random.ts";
import { formatModule } from "../../templates/print/format.ts";
import { hostileText } from "../../templates/testing/hostile.ts";
import { schemaOf } from "../../templates/testing/models.ts";
import { schemaTypes, typeName } from "./types.ts";

async function typesOf(
  document: JsonObject,
  others: Record<string, JsonObject> = {},
  name = "Things",
): Promise<string> {
  const text = await schemaTypes(schemaOf("r/d/c/schema.json", document, others), name);
  return formatModule({ path: "types.ts", text }).text;
}

describe("types of schemas", () => {
  test("references lead to one type each, across files, also where schemas are recursive", async () => {
    const text = await typesOf(
      {
        type: "object",
        additionalProperties: false,
        properties: {
          home: { $ref: "../../_shared/address.json" },
          work: { $ref: "../../_shared/address.json", description: "At daytime." },
          parent: { $ref: "#" },
          tree: { $ref: "#/$defs/tree-node" },
        },
        $defs: { "tree-node": { type: "array", items: { $ref: "#/$defs/tree-node" } } },
      },
      {
        "r/_shared/address.json": {
          type: "object",
          additionalProperties: false,
          properties: { city: { type: "string" } },
        },
      },
    );
    expect(text).toBe(`export type TreeNode = TreeNode[];

export interface Things {
  home?: Address;
  work?: Address;
  parent?: Things;
  tree?: TreeNode;
}

export interface Address {
  city?: string;
}
`);
  });

  test("siblings of a reference apply beside it", async () => {
    const text = await typesOf({
      type: "object",
      additionalProperties: false,
      properties: { a: { $ref: "#/$defs/b", required: ["c"], properties: { c: { type: "number" } } } },
      $defs: { b: { type: "object", properties: { d: { type: "string" } } } },
    });
    expect(text).toMatch(/a\?: B & \{\n\s+c: number;/);
  });

  test("a tuple is a list of any of its items, which is wider", async () => {
    const text = await typesOf({
      type: "object",
      properties: {
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      },
    });
    expect(text).toContain("pair?: (string | number)[];");
  });

  test("lengths of lists do not blow up types", async () => {
    const text = await typesOf({
      type: "object",
      properties: { many: { type: "array", minItems: 3, maxItems: 9, items: { type: "string" } } },
    });
    expect(text).toContain("many?: string[];");
  });

  test("keywords that only the generator knows have no effect", async () => {
    const text = await typesOf({
      type: "object",
      additionalProperties: false,
      title: "Elsewhere",
      properties: {
        a: { type: "string", tsType: "globalThis", tsEnumNames: ["x"] },
        b: { type: "string", title: "Named" },
      },
    });
    expect(text).toContain("export interface Things {\n  a?: string;");
    expect(text).not.toMatch(/globalThis|Elsewhere =|Named =/);
  });

  test("a member called as a method of the generator's own objects is left open", async () => {
    const properties = { hasOwnProperty: { type: "string" }, toString: { type: "string" } };
    const text = await typesOf({
      type: "object",
      properties,
      required: ["hasOwnProperty", "toString"],
      additionalProperties: false,
    });
    expect(text).toContain("toString: string;");
    expect(text).toContain("[k: string]: unknown;");
  });

  test("names are those that the generator leaves as they are", async () => {
    for (const name of ["line_item", "a1b", "9lives", "Date", "document-meta", "x", "Ünïcode", "$ref"]) {
      const text = await typesOf({ type: "object" }, {}, typeName(name));
      expect(text).toContain(`export interface ${typeName(name)} {`);
    }
    expect(["line_item", "9lives", "Date", "DocumentMeta"].map(typeName)).toEqual([
      "LineItem",
      "Type9Lives",
      "Date_",
      "DocumentMeta_",
    ]);
  });

  test("configuration text stays text: what is emitted is types and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, hostileText, async (name, text, value) => {
        const document = {
          type: "object",
          title: text,
          description: text,
          required: [name],
          properties: {
            [name]: { description: text, enum: [value, text] },
            other: { const: value },
            [text]: { $ref: text },
          },
          $defs: { [name]: { type: "object", description: value } },
        };
        const emitted = await typesOf(document);
        expect(transformSync(emitted, { loader: "ts", legalComments: "none" }).code).toBe("");
        expect(emitted).not.toMatch(/[\p{Cf}\u2028\u2029]|^\s*[/*].*(?:@ts-|biome-ignore)/mu);
      }),
      { numRuns: runs(60) },
    );
  });
});
