import { expect, test } from "vitest";
import { formatModule, formatModules, jsonText } from "./format.ts";

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

test("modules that are no TypeScript are refused", async () => {
  await expect(formatModule({ path: "x.ts", text: "export const = 1;" })).rejects.toThrow(SyntaxError);
});

test("unions that do not fit behind their name stand apart, as the linter wants them", async () => {
  const [a, b] = ["a".repeat(50), `b | "${"b".repeat(40)}`];
  const text = `export interface T { name?: ${JSON.stringify(a)} | ${JSON.stringify(b)} | (string | null)[] }`;
  expect((await formatModule({ path: "t.ts", text })).text).toBe(
    [
      "export interface T {",
      "  name?:",
      `    | "${a}"`,
      `    | 'b | "${"b".repeat(40)}'`,
      "    | (string | null)[];",
      "}",
      "",
    ].join("\n"),
  );
});

test("modules that are laid out together are what they are alone, and keep their heads", async () => {
  const shared = "/** Told once. */\nexport type Shared = { a: string }";
  const texts = [
    "const one = 1 // beside\n",
    `// Head.\nimport { x } from "./x.ts";\n\n${shared}\n\nexport  const b=x`,
  ];
  const files = [...texts, `// Another.\n${shared}`].map((text, at) => ({ path: `${at}.ts`, text }));
  expect((await formatModules(files)).map(({ text }) => text)).toEqual([
    "const one = 1; // beside\n",
    '// Head.\nimport { x } from "./x.ts";\n\n/** Told once. */\nexport type Shared = { a: string };\n\nexport const b = x;\n',
    "// Another.\n/** Told once. */\nexport type Shared = { a: string };\n",
  ]);
});

test("a module that does not end where its text does is refused, whatever comes after it", async () => {
  const files = ["export function f() {", "}"].map((text, at) => ({ path: `${at}.ts`, text }));
  await expect(formatModules(files)).rejects.toThrow("does not end");
});
