import { transformSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText } from "../testing/hostile.ts";
import {
  type Code,
  code,
  codeText,
  declared,
  docComment,
  emitModule,
  identifier,
  imported,
  importedType,
  join,
  literal,
  member,
  nothing,
  object,
  pattern,
  property,
  propertyKey,
} from "./code.ts";
import type { Literal } from "./literals.ts";

/** The value of an expression in strict mode. */
function evaluate(expression: Code): unknown {
  return new Function(`"use strict"; return (${codeText(expression)});`)();
}

function forAll<T>(values: fc.Arbitrary<T>, holds: (value: T) => void): void {
  fc.assert(
    fc.property(values, (value) => {
      holds(value);
    }),
  );
}

const jsonValue: fc.Arbitrary<Literal> = fc.letrec<{ value: Literal }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostileText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(hostileText, tie("value")), { maxLength: 3 })
      .map((members) => Object.fromEntries(members)),
  ),
})).value;

describe("literals", () => {
  test("evaluate to the value they print, whatever text it holds", () => {
    forAll(jsonValue, (value) => expect(evaluate(literal(value))).toEqual(value));
  });

  test("__proto__ is a member, not a prototype", () => {
    const value = evaluate(literal(JSON.parse('{"__proto__": {"admin": true}}')));
    expect(Object.keys(Object(value))).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("hold no line end and nothing invisible or reordering", () => {
    forAll(hostileText, (text) => expect(codeText(literal(text))).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u));
  });

  test("large integers are grouped", () => {
    expect(codeText(literal([9999, 10_000, 2_592_000_000, -1_234_567, 0.12345678, 1e21, -0]))).toBe(
      "[9999, 10_000, 2_592_000_000, -1_234_567, 0.12345678, 1e+21, -0]",
    );
  });

  test("values that configuration cannot hold are refused", () => {
    expect(() => literal(Number.NaN)).toThrow();
    expect(() => literal(Number.POSITIVE_INFINITY)).toThrow();
  });
});

describe("code", () => {
  test("plain values are inserted as literals, fragments as they are", () => {
    const fragment = code`f(${"a"}, ${1}, ${[true, null]}, ${code`x + ${"y"}`})`;
    expect(codeText(fragment)).toBe('f("a", 1, [true, null], x + "y")');
  });

  test("text cannot become code", () => {
    forAll(hostileText, (text) => expect(evaluate(code`[${text}].length`)).toBe(1));
  });

  test("members read and write what they name", () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        const value = evaluate(code`{ ${propertyKey(name)}: 1 }`);
        expect(Object.keys(Object(value))).toEqual([name]);
        expect(evaluate(member(code`({ ${propertyKey(name)}: 1 })`, name))).toBe(1);
      }),
    );
  });

  test("identifiers can be declared, whatever they are made from", () => {
    fc.assert(
      fc.property(
        fc.oneof(hostileText, fc.constantFrom("delete", "await", "a-b", "9", "Map", "eval", "let")),
        (name) => {
          const text = codeText(identifier(name));
          expect(() => new Function(`"use strict"; const ${text} = 1; return ${text};`)).not.toThrow();
          expect(text).toMatch(/^[\w$]+$/);
        },
      ),
    );
    expect(["delete", "a-b", "time-log-", "9a", "Date"].map((name) => codeText(identifier(name)))).toEqual([
      "delete_",
      "aB",
      "timeLog",
      "_9a",
      "Date_",
    ]);
  });

  test("patterns keep their meaning and cannot end early", () => {
    const sources = [
      "^a/b$",
      "[/]\\/",
      "\n",
      "\u2028",
      "^[a-z0-9-]+$",
      "\u202e?",
      "[\u200b-\u200f]",
      "(?:)",
      "\\p{L}",
    ];
    for (const source of sources) {
      const text = codeText(pattern(source));
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      const made = evaluate(pattern(source));
      const plain = new RegExp(source, "u");
      if (!(made instanceof RegExp)) throw new Error("no pattern");
      for (const sample of ["a/b", "/", "\n", "\u2028", "x-1", "\u202e", "\u200c", "é", ""]) {
        expect([source, sample, made.test(sample)]).toEqual([source, sample, plain.test(sample)]);
      }
    }
  });

  test("comments end where they should and direct nobody", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const comment = codeText(docComment(text));
        expect(transformSync(comment, { loader: "ts", legalComments: "none" }).code).toBe("");
        expect(comment).not.toMatch(/@ts-|biome-ignore|[#@]\s*source(?:Mapping)?URL|[\p{Cf}\u2028\u2029]/u);
      }),
    );
  });

  test("empty fragments leave no separator", () => {
    expect(codeText(join([code`a`, nothing, code`b`]))).toBe("a, b");
    expect(codeText(object([nothing]))).toBe("{}");
  });
});

describe("modules", () => {
  const emit = (body: Code, sources: readonly string[] = []): string =>
    emitModule({ path: "m.ts", sources, body }).text;

  test("imports are merged and ordered as the linter wants them", () => {
    const parts = [
      imported("routes", "./b/routes.ts", "bRoutes"),
      imported("replaceDocument", "realmc/runtime"),
      importedType("RouteTable", "realmc/runtime"),
      imported("routes", "./a/routes.ts", "aRoutes"),
      imported("field", "realmc/runtime"),
      importedType("FieldTable", "realmc/runtime"),
      importedType("field", "realmc/runtime"),
    ];
    expect(emit(join(parts))).toBe(
      [
        "// Generated by realmc. Do not edit.",
        'import { type FieldTable, field, type RouteTable, replaceDocument } from "realmc/runtime";',
        'import { routes as aRoutes } from "./a/routes.ts";',
        'import { routes as bRoutes } from "./b/routes.ts";',
        "",
        "bRoutes, replaceDocument, RouteTable, aRoutes, field, FieldTable, field",
        "",
      ].join("\n"),
    );
  });

  test("only types: the statement imports types", () => {
    expect(emit(code`${importedType("A", "x")}`)).toContain('import type { A } from "x";');
  });

  test("imports give way to names that the module declares, and to each other", () => {
    const text = emit(
      code`export const ${declared("rules")} = ${object([
        property("rules", imported("rules", "./rules.ts")),
        property("tickets", imported("tickets", "./a.ts")),
        property("other", imported("tickets", "./b.ts")),
      ])};`,
    );
    expect(text).toContain('import { tickets } from "./a.ts";');
    expect(text).toContain('import { tickets as tickets2 } from "./b.ts";');
    expect(text).toContain('import { rules as rules2 } from "./rules.ts";');
    expect(text).toContain("rules = {\nrules: rules2,\ntickets,\nother: tickets2,\n};");
  });

  test("the header names the sources", () => {
    expect(emit(code`x`, ["r/d/c/collection.yaml", "r/d/c/schema.json"])).toMatch(
      /^\/\/ Generated by realmc from r\/d\/c: collection\.yaml, schema\.json\. Do not edit\.\n/,
    );
    expect(emit(code`x`, ["r/_shared/a.json", "r/d/c/schema.json"])).toMatch(
      /from r\/_shared\/a\.json, r\/d\/c\/schema\.json\./,
    );
    expect(emit(code`x`, ["a\nb*/"])).toMatch(/^\/\/ Generated by realmc from a b\* \/\. Do not edit\.\n/);
  });
});
