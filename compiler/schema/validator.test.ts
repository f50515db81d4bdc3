import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { hostileText } from "../../templates/testing/hostile.ts";
import { schemaOf } from "../../templates/testing/models.ts";
import { validatorOf } from "./testing/validator.ts";
import { validatorCode } from "./validator.ts";

const at = "r/d/c/schema.json";

function problems(document: JsonObject, data: JsonValue, others: Record<string, JsonObject> = {}): string[] {
  const validate = validatorOf(schemaOf(at, document, others));
  const valid = validate(data);
  const errors = validate.errors ?? [];
  expect(valid).toBe(errors.length === 0);
  return errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`).sort();
}

function codeOf(document: JsonObject): string {
  return validatorCode(schemaOf(at, document)).text;
}

describe("validators", () => {
  test("report every error", () => {
    const schema = {
      type: "object",
      required: ["a"],
      additionalProperties: false,
      properties: { a: { type: "string" }, b: { type: "array", items: { type: "integer", minimum: 3 } } },
    };
    expect(problems(schema, { b: [1, "x", 5], c: true })).toEqual([
      " additionalProperties",
      " required",
      "/b/0 minimum",
      "/b/1 type",
    ]);
  });

  test("change nothing: no default is filled in, nothing is coerced or removed", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", default: "x" }, n: { type: "integer" } },
    };
    const data = { n: "1", extra: 1 };
    expect(problems(schema, data)).toEqual(["/n type"]);
    expect(data).toEqual({ n: "1", extra: 1 });
  });

  test("an accepted slow pattern is asked of values within maxLength only, without backtracking", () => {
    const schema = {
      properties: { a: { pattern: "^(a+)+$", maxLength: 256, "x-svc-slow-pattern": "accepted" } },
    };
    expect(problems(schema, { a: "a".repeat(256) })).toEqual([]);
    expect(problems(schema, { a: `${"a".repeat(255)}!` })).toEqual(["/a x-svc-slow-pattern"]);
    expect(problems(schema, { a: `${"a".repeat(256)}!` })).toEqual(["/a maxLength"]);
    expect(problems(schema, { a: 1 })).toEqual([]);
    expect(codeOf(schema)).toContain('linearPattern("^(a+)+$", 256)');
  });

  test("siblings of $ref apply too, also across files", () => {
    const schema = { properties: { a: { $ref: "../../_shared/a%20b.json#/$defs/t", maxLength: 3 } } };
    const others = { "r/_shared/a b.json": { $defs: { t: { type: "string", minLength: 2 } } } };
    expect(problems(schema, { a: "x" }, others)).toEqual(["/a minLength"]);
    expect(problems(schema, { a: "wxyz" }, others)).toEqual(["/a maxLength"]);
    expect(problems(schema, { a: 1 }, others)).toEqual(["/a type"]);
  });

  test("a schema inside a file is compiled with the file's references", () => {
    const document = {
      profile: { properties: { a: { $ref: "#/profile/$defs/t" } }, $defs: { t: { type: "string" } } },
    };
    const validate = validatorOf({
      path: "r/realm.yaml",
      pointer: "/profile",
      document,
      files: [{ path: "r/realm.yaml", document }],
    });
    expect([validate({ a: "x" }), validate({ a: 1 })]).toEqual([true, false]);
  });

  test("a file that a $ref leads to through another $ref keeps its own references", () => {
    const others = {
      "r/_shared/t.json": { properties: { p: { $ref: "#/$defs/p" } }, $defs: { p: { type: "integer" } } },
    };
    const schema = {
      properties: { a: { $ref: "#/$defs/x" } },
      $defs: { x: { $ref: "../../_shared/t.json" }, p: { type: "string" } },
    };
    expect(problems(schema, { a: { p: 1 } }, others)).toEqual([]);
    expect(problems(schema, { a: { p: "x" } }, others)).toEqual(["/a/p type"]);
  });

  test("a profile that is a $ref is validated by what it refers to", () => {
    const shared = {
      required: ["team"],
      properties: { team: { $ref: "#/$defs/t" } },
      $defs: { t: { type: "string" } },
    };
    const document = { auth: "enabled", profile: { $ref: "./_shared/profile.json" } };
    const validate = validatorOf({
      path: "r/realm.yaml",
      pointer: "/profile",
      document,
      files: [
        { path: "r/_shared/profile.json", document: shared },
        { path: "r/realm.yaml", document },
      ],
    });
    expect([validate({ team: "a" }), validate({}), validate({ team: 1 })]).toEqual([true, false, false]);
  });

  test("formats are asserted, unknown ones refused at build", () => {
    expect(problems({ type: "string", format: "email" }, "x")).toEqual([" format"]);
    expect(() => codeOf({ type: "string", format: "zodiac" })).toThrow(/zodiac/);
  });

  test("lengths count code points, patterns are Unicode", () => {
    expect(problems({ type: "string", maxLength: 1, pattern: "^.$" }, "😀")).toEqual([]);
  });

  test("names on Object.prototype are no members", () => {
    const schema = {
      type: "object",
      required: ["constructor"],
      properties: { toString: { type: "string" } },
    };
    expect(problems(schema, {})).toEqual([" required"]);
    expect(problems(schema, { constructor: 1, toString: 2 })).toEqual(["/toString type"]);
  });

  describe("unevaluatedProperties", () => {
    const sometimes = { anyOf: [{ required: ["x"], properties: { x: {} } }, true] };

    test("patternProperties beside branches that evaluate everything or nothing throw nothing", () => {
      const everything = {
        patternProperties: { "^a": {} },
        oneOf: [{ unevaluatedProperties: { type: "integer" } }],
      };
      expect(problems(everything, { a: 1, b: 1 })).toEqual([]);
      expect(problems(everything, { b: "x" })).toEqual([" oneOf", "/b type"]);
      const nothing = { ...sometimes, patternProperties: { "^a": {} }, unevaluatedProperties: false };
      expect(problems(nothing, { a: 1, x: 1 })).toEqual([]);
      expect(problems(nothing, { a: 1 })).toEqual([]);
      expect(problems(nothing, { a: 1, b: 1 })).toEqual([" unevaluatedProperties"]);
    });

    test("names on Object.prototype are evaluated by what declares them only", () => {
      const schema = { ...sometimes, unevaluatedProperties: false };
      for (const name of ["constructor", "toString", "__proto__"]) {
        expect(problems(schema, JSON.parse(`{"x":1,"${name}":1}`))).toEqual([" unevaluatedProperties"]);
      }
      const matching = { ...schema, patternProperties: { "^__": {} } };
      expect(problems(matching, JSON.parse('{"x":1,"__proto__":1}'))).toEqual([]);
    });

    test("what one document holds is nothing to the next", () => {
      const side = (pattern: string) => ({
        $ref: "#",
        patternProperties: { [pattern]: {} },
        unevaluatedProperties: false,
      });
      const validate = validatorOf(schemaOf(at, { properties: { l: side("^l"), r: side("^r") } }));
      const documents = [{ r: { l1: 1 } }, { l: { l1: 1 } }, { r: { l1: 1 } }];
      expect(documents.map((document) => validate(document))).toEqual([false, true, false]);
    });
  });

  test("keywords of ajv and OpenAPI mean nothing", () => {
    expect(problems({ type: "string", nullable: true }, null)).toEqual([" type"]);
    expect(problems({ $async: true, type: "string" }, 1)).toEqual([" type"]);
    expect(problems({ id: "x", discriminator: { propertyName: "k" }, type: "string" }, "s")).toEqual([]);
  });

  test("the empty enumeration fits nothing", () => {
    expect(problems({ properties: { a: { enum: [] } } }, { a: 1 })).toHaveLength(1);
  });

  test("descriptions, titles and unused schemas leave no trace", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const described = {
      ...schema,
      title: "T",
      description: "D",
      properties: { a: { type: "string", description: "A" } },
    };
    expect(codeOf(described)).toBe(codeOf(schema));
    expect(codeOf(schema)).not.toMatch(/const schema/);
  });

  describe("a field changes its own lines alone", () => {
    const others: Record<string, JsonObject> = {
      text: { type: "string", maxLength: 20, pattern: "^[a-z]+$" },
      code: { type: "string", pattern: "^[A-Z]+$", format: "date" },
      list: { type: "array", uniqueItems: true, items: { type: "string", maxLength: 9 } },
      either: {
        anyOf: [
          { type: "string", format: "date-time" },
          { type: "integer", minimum: 1 },
        ],
      },
      one: { oneOf: [{ required: ["a"] }, { required: ["b"] }], not: { required: ["c"] } },
      open: { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }], unevaluatedProperties: false },
      tree: { $ref: "#/$defs/tree" },
      choice: { if: { type: "string" }, else: { const: [1] } },
    };
    const tree = { type: "object", properties: { children: { items: { $ref: "#/$defs/tree" } } } };
    const linesOf = (properties: Record<string, JsonObject>): readonly string[] =>
      codeOf({ type: "object", properties, $defs: { tree } })
        .split("\n")
        // What names all properties.
        .filter((line) => !/^const schema0 = |\.evaluated = /.test(line));

    /** Lines of `now` that come to those of `before`; undefined where one of them is gone or elsewhere. */
    function added(before: readonly string[], now: readonly string[]): readonly string[] | undefined {
      let at = 0;
      const more = now.filter((line) => {
        if (line !== before[at]) return true;
        at++;
        return false;
      });
      return at === before.length ? more : undefined;
    }

    test.each(Object.entries(others))("%s", (_, field) => {
      const more = added(linesOf(others), linesOf({ first: field, ...others })) ?? [];
      expect(more.length).toBeGreaterThan(0);
      expect(more.filter((line) => /instancePath\+/.test(line) && !line.includes('"/first'))).toEqual([]);
    });

    test("of a string there are thirteen", () => {
      const first = { type: "string", maxLength: 5 };
      expect(added(linesOf(others), linesOf({ first, ...others }))).toHaveLength(13);
    });
  });

  test("what validators import is what they use", () => {
    const { helpers, text } = validatorCode(
      schemaOf(at, {
        properties: {
          a: { maxLength: 3 },
          b: { uniqueItems: true },
          c: { const: [1] },
          d: { type: "string", format: "date" },
          e: { items: { $ref: "#" } },
        },
      }),
    );
    expect(helpers).toEqual(["appendErrors", "codePointLength", "duplicateItems", "equal", "formats"]);
    expect(text).not.toMatch(/require|sourceURL|use strict|export default/);
  });

  test("a list of equal items is judged in linear time, and errors are collected so", () => {
    const many = Array.from({ length: 60_000 }, (_, place) => ({ place: place % 59_999 }));
    expect(problems({ uniqueItems: true }, many)).toEqual([" uniqueItems"]);
    const tree = { type: "object", properties: { children: { items: { $ref: "#" } } } };
    expect(problems(tree, { children: Array.from({ length: 60_000 }, () => 1) })).toHaveLength(60_000);
  });

  test("equality never runs what a document holds", () => {
    const odd = { valueOf: 1, constructor: 2, toString: null };
    expect(problems({ uniqueItems: true }, [odd, { ...odd }])).toEqual([" uniqueItems"]);
    expect(problems({ const: odd }, { ...odd })).toEqual([]);
    expect(problems({ enum: [odd, "x"] }, { ...odd, toString: 1 })).toEqual([" enum"]);
  });

  test("configuration text stays text", () => {
    fc.assert(
      fc.property(hostileText, hostileText, (name, text) => {
        const document = {
          $id: `https://example.com/${text}`,
          type: "object",
          description: text,
          required: [name, text],
          properties: {
            [name]: { enum: [text, name, { [text]: name }] },
            [text]: { const: text },
            c: { items: { $ref: "#" } },
          },
          dependentRequired: { [text]: [name] },
          examples: [text],
        };
        const code = validatorCode(schemaOf(at, document)).text;
        expect(code).not.toMatch(/[\p{Cf}\u2028\u2029]|sourceURL=/u);
        // It parses, and everything at its top level is declared by ajv.
        expect(() => new Function(code.replace(/^export /m, ""))).not.toThrow();
        expect(code).not.toMatch(/^\s*(?:process|globalThis)\b/m);
      }),
    );
  });
});
