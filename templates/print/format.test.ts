import { expect, test } from "vitest";
import { formatModule, jsonText } from "./format.ts";

test("JSON: a reference that is all there is stands on one line, where it fits", () => {
  const $ref = "#/components/schemas/Page";
  const beside = { $ref, description: "more" };
  expect(jsonText({ a: { $ref }, b: [{ $ref }, { $ref }], beside })).toBe(
    [
      "{",
      `  "a": { "$ref": "${$ref}" },`,
      `  "b": [{ "$ref": "${$ref}" }, { "$ref": "${$ref}" }],`,
      '  "beside": {',
      `    "$ref": "${$ref}",`,
      '    "description": "more"',
      "  }",
      "}\n",
    ].join("\n"),
  );
  const long = "x".repeat(110);
  expect(jsonText({ a: { $ref: long } })).toBe(`{\n  "a": {\n    "$ref": "${long}"\n  }\n}\n`);
});

test("JSON: lists stand on one line where they fit and hold no objects", () => {
  const long = Array.from({ length: 12 }, (_, at) => `a-rather-long-word-${at}`);
  expect(
    jsonText({
      a: [1, "b", [null]],
      b: {},
      c: [{}],
      d: [{ e: [] }],
      long,
      skipped: undefined,
      "\u202e": "\u2028",
    }),
  ).toBe(
    [
      "{",
      '  "a": [1, "b", [null]],',
      '  "b": {},',
      '  "c": [{}],',
      '  "d": [',
      "    {",
      '      "e": []',
      "    }",
      "  ],",
      '  "long": [',
      `${long.map((word) => `    "${word}"`).join(",\n")}`,
      "  ],",
      '  "\\u202e": "\\u2028"',
      "}",
      "",
    ].join("\n"),
  );
});

test("a module keeps the head that it was given", () => {
  const head = `// Head.\nimport { x } from "./x.ts";\n`;
  expect(formatModule({ path: "m.ts", text: `${head}\n\nexport  const b=x` })).toEqual({
    path: "m.ts",
    text: `${head}\n\nexport const b = x;\n`,
  });
});
