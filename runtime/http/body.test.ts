import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import type { Received, RequestBody } from "../realm/exchange.ts";
import { readJson } from "./body.ts";
import type { Media } from "./media-type.ts";

function sent(body: RequestBody | string, type?: string): Pick<Received, "body" | "headers"> {
  return {
    headers: type === undefined ? {} : { "content-type": type },
    body: body === "none" || body === "too-large" || typeof body !== "string" ? body : Buffer.from(body),
  };
}

function read(body: RequestBody | string, media: Media = "json", type = "application/json") {
  return readJson(sent(body, type), media);
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return "none";
}

describe("Common request rules 3: a body that is no JSON", () => {
  it("is refused with the place of the mistake", () => {
    expect(() => read('{\n  "a": 1,\n}')).toThrow(
      "The body is not a valid JSON object: it cannot be parsed at line 3, column 1.",
    );
  });
});

describe("Common request rules 2: the Content-Type", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json ; charset="utf-8" ',
  ])("takes %s", (type) => {
    expect(read('{"a":1}', "json", type).value).toEqual({ a: 1 });
  });

  it.each([
    "text/plain",
    "application/json; charset=latin1",
    "application/json; charset=utf-8; q=1",
    "application/json; boundary=x",
    "application/merge-patch+json",
    "application/json, application/json",
    "",
  ])("refuses %j", (type) => {
    expect(codeOf(() => read("{}", "json", type))).toBe("unsupported_media_type");
  });

  it.each(["identity", "Identity", "", " , identity ,identity"])("takes Content-Encoding: %j", (encoding) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expect(readJson({ body: Buffer.from("{}"), headers }, "json").value).toEqual({});
  });

  it.each(["gzip", "deflate, identity", "br", "identityidentity", "x"])(
    "refuses Content-Encoding: %s, before it looks at the body",
    (encoding) => {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      expect(codeOf(() => readJson({ body: Buffer.from("{"), headers }, "json"))).toBe(
        "unsupported_media_type",
      );
    },
  );

  it("refuses a body without one", () => {
    expect(codeOf(() => readJson(sent("{}"), "json"))).toBe("unsupported_media_type");
  });

  it("takes merge patches only where asked for", () => {
    const patch = "application/merge-patch+json";
    expect(read("{}", "patch", patch).value).toEqual({});
    expect(codeOf(() => read("{}", "patch"))).toBe("unsupported_media_type");
    expect(read("{}", "merge", patch).value).toEqual({});
    expect(read("{}", "merge").value).toEqual({});
    expect(codeOf(() => read("{}", "merge", "text/json"))).toBe("unsupported_media_type");
  });
});

describe("Common request rules 3: the body", () => {
  it("is a single JSON object", () => {
    for (const body of [
      "none",
      "",
      "[]",
      "1",
      "null",
      '"x"',
      "{} {}",
      "{'a':1}",
      "{a:1}",
      '{"a":1,}',
      "{",
      "NaN",
    ]) {
      expect(
        codeOf(() => read(body)),
        body,
      ).toBe("invalid_json");
    }
  });

  it("is needed whatever the Content-Type says", () => {
    expect(codeOf(() => readJson(sent("none"), "json"))).toBe("invalid_json");
    expect(codeOf(() => read("none", "json", "text/plain"))).toBe("invalid_json");
  });

  it("is refused when larger than the limit", () => {
    expect(codeOf(() => read("too-large"))).toBe("payload_too_large");
  });

  it("is UTF-8", () => {
    expect(codeOf(() => read(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).toBe("invalid_json");
    expect(read(Buffer.from('{"ä":"€😀"}')).value).toEqual({ ä: "€😀" });
  });

  it("is nested at most 64 deep", () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(read(nested(64)).problems).toEqual([]);
    expect(codeOf(() => read(nested(65)))).toBe("invalid_json");
    expect(codeOf(() => read(`{"a":${"[".repeat(64)}${"]".repeat(64)}}`))).toBe("invalid_json");
    expect(codeOf(() => read(`{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`))).toBe("invalid_json");
  });

  it("holds no lone surrogate and no NUL, in values and in names", () => {
    for (const body of [
      '{"a":"\\ud800"}',
      '{"a":"\\udc00\\ud800"}',
      '{"\\ud800":1}',
      '{"a":["\\u0000"]}',
      '{"a\\u0000":1}',
    ]) {
      expect(
        codeOf(() => read(body)),
        body,
      ).toBe("invalid_json");
    }
    expect(read('{"a":"\\ud83d\\ude00\\u0001"}').value).toEqual({ a: "😀\u0001" });
  });

  it("holds no number that overflows", () => {
    expect(codeOf(() => read('{"a":1e400}'))).toBe("invalid_json");
    expect(codeOf(() => read('{"a":{"b":[-1e999]}}'))).toBe("invalid_json");
  });
});

describe("Numbers and names of a body", () => {
  const large = (text: string) => read(text).large.problems.map(({ path }) => path);

  it("reports what would be read back as such an integer", () => {
    expect(large('{"a":1e20,"b":1e21,"c":1000000000000000000000}')).toEqual(["a", "b", "c"]);
    expect(large('{"a":1e20,"b":1e21}')).toEqual(["a"]);
  });

  it("reports integers beyond 2^53-1, with their paths", () => {
    const text = '{"a":9007199254740992,"b":[{"c":-9007199254740993}],"d":9007199254740991}';
    expect(large(text)).toEqual(["a", "b.0.c"]);
    expect(read(text).problems).toEqual([]);
    expect([...read(text).large.values]).toEqual([9007199254740992, -9007199254740992]);
  });

  it("takes -0, 1e3 and large numbers that were not written as integers", () => {
    const { value, problems } = read('{"a":-0,"b":1e3,"c":6.02e23,"d":"9007199254740993","e":1.5e300}');
    expect([...problems, ...large('{"c":6.02e23,"e":1.5e300}')]).toEqual([]);
    expect(value).toEqual({ a: -0, b: 1000, c: 6.02e23, d: "9007199254740993", e: 1.5e300 });
  });

  it("reports names that start with $ or hold a dot, at any depth", () => {
    const { problems } = read('{"$set":1,"a":{"b.c":2,"d":[{"$x":3}]},"e$":4}');
    expect(problems.map(({ path }) => path)).toEqual(["$set", "a.b.c", "a.d.0.$x"]);
  });

  it("takes the last of duplicate names, and __proto__ and constructor as plain data", () => {
    const { value } = read('{"a":1,"a":2,"__proto__":{"x":1},"constructor":3}');
    expect(value["a"]).toBe(2);
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(value["x"]).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"a":2,"__proto__":{"x":1},"constructor":3}');
  });

  it("names a bounded number of problems", () => {
    const members = Array.from({ length: 5000 }, (_, at) => `"$${at}":1`);
    expect(read(`{${members.join()}}`).problems).toHaveLength(100);
  });

  it("gives back any JSON object of ordinary names and numbers as it was sent", () => {
    const leaf = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.boolean(),
      fc.constant(null),
      fc.maxSafeInteger(),
    );
    const { object } = fc.letrec((tie) => ({
      object: fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie("value"), { maxKeys: 4 }),
      value: fc.oneof({ depthSize: "small" }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
    }));
    fc.assert(
      fc.property(object, (sent) => {
        const text = JSON.stringify(sent).replaceAll("\\u0000", "");
        const { value, problems } = read(text);
        expect(problems).toEqual([]);
        expect(JSON.stringify(value)).toBe(text);
      }),
    );
  });
});
