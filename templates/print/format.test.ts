import { expect, test } from "vitest";
import { formatModule, jsonText } from "./format.ts";

test("JSON: what fits into a line stands on one, of all else each member and item begins one", () => {
  const long = Array.from({ length: 12 }, (_, at) => `a-rather-long-word-${at}`);
  const $ref = "#/components/schemas/Page";
  expect(
    jsonText({
      a: { $ref, description: "more" },
      b: [{ $ref }, { $ref }, { x: [1, "b", [null]], y: {} }],
      c: [[], {}],
      long,
      skipped: undefined,
      some: { skipped: undefined, long: long.join(" ").slice(0, 96) },
      "\u202e": "\u2028",
    }),
  ).toBe(
    [
      "{",
      `  "a": { "$ref": "${$ref}", "description": "more" },`,
      '  "b": [',
      `    { "$ref": "${$ref}" },`,
      `    { "$ref": "${$ref}" },`,
      '    { "x": [1, "b", [null]], "y": {} }',
      "  ],",
      '  "c": [[], {}],',
      '  "long": [',
      `${long.map((word) => `    "${word}"`).join(",\n")}`,
      "  ],",
      '  "some": {',
      `    "long": "${long.join(" ").slice(0, 96)}"`,
      "  },",
      '  "\\u202e": "\\u2028"',
      "}\n",
    ].join("\n"),
  );
});

test("JSON: a line has 110 columns with what stands before it and the comma behind", () => {
  const of = (length: number) => jsonText({ a: { b: "x".repeat(length) }, c: 1 });
  const [fits = ""] = of(90).split("\n").slice(1);
  const room = 110 - fits.length;
  expect(of(90 + room).split("\n")[1]).toHaveLength(110);
  expect(of(90 + room + 1).split("\n")[1]).toBe('  "a": {');
});

test("a module keeps the head that it was given", () => {
  const head = `// Head.\nimport { x } from "./x.ts";\n`;
  expect(formatModule({ path: "m.ts", text: `${head}\n\nexport  const b=x` })).toEqual({
    path: "m.ts",
    text: `${head}\n\nexport const b = x;\n`,
  });
});
