import { describe, expect, it } from "vitest";
import { ApiError, type Detail } from "../errors.ts";
import { parameters } from "./parameters.ts";

function detailsOf(search: string, known: readonly string[]): readonly Detail[] {
  try {
    parameters(search, known);
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid_query") return error.details;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("Common request rules 4: query parameters", () => {
  it("are decoded", () => {
    const values = parameters("limit=5&where=%7B%22a%22%3A+%22b%22%7D&flag&empty=&x%5B=%2B", [
      "limit",
      "where",
      "flag",
      "empty",
      "x[",
    ]);
    expect([...values]).toEqual([
      ["limit", "5"],
      ["where", '{"a": "b"}'],
      ["flag", ""],
      ["empty", ""],
      ["x[", "+"],
    ]);
  });

  it("may be none at all", () => {
    expect(parameters("", ["a"]).size).toBe(0);
    expect(parameters("&&", ["a"]).size).toBe(0);
  });

  it("may appear at most once each, also with the same value", () => {
    expect(detailsOf("a=1&b=2&a=1", ["a", "b"])).toEqual([{ path: "a", reason: "must appear at most once" }]);
    expect(detailsOf("a=1&%61=1", ["a"])).toEqual([{ path: "a", reason: "must appear at most once" }]);
  });

  it("must be known to the route; every problem is named", () => {
    expect(detailsOf("lmit=1&a=%zz&b=1&b=2&__proto__=1", ["a", "b"])).toEqual([
      { path: "lmit", reason: "unknown parameter" },
      { path: "a", reason: "malformed percent-encoding" },
      { path: "b", reason: "must appear at most once" },
      { path: "__proto__", reason: "unknown parameter" },
    ]);
    expect(detailsOf("=1", ["a"])).toEqual([{ path: "", reason: "unknown parameter" }]);
  });

  it("which are not known say what was meant: a parameter, or a condition on a field", () => {
    const known = ["where", "order_by", "limit", "skip", "after"];
    const reasonOf = (search: string): unknown => detailsOf(search, known)[0]?.reason;
    expect(reasonOf("lmit=1")).toBe("unknown parameter; did you mean 'limit'?");
    expect(reasonOf("sort=name")).toBe("unknown parameter; did you mean 'order_by'?");
    expect(reasonOf("status=open")).toBe('unknown parameter; fields are filtered by where={"status":"open"}');
    expect(reasonOf("address.number=5")).toBe(
      'unknown parameter; fields are filtered by where={"address.number":5}',
    );
    expect(reasonOf("__proto__=1")).toBe("unknown parameter");
    const json = "unknown parameter; where is one JSON object: where=";
    expect(reasonOf("where[status]=open")).toBe(`${json}{"status":"open"}`);
    expect(reasonOf("filter%5Baddress%5D%5Bcity%5D=5")).toBe(`${json}{"address.city":5}`);
    expect(reasonOf("where[count][gte]=3")).toBe(`${json}{"count":{"$gte":3}}`);
    expect(reasonOf("where[status][$in]=open,done")).toBe(`${json}{"status":{"$in":["open","done"]}}`);
    expect(reasonOf("where[title][contains]=3")).toBe(`${json}{"title":{"$contains":"3"}}`);
    for (const other of ["where[]=open", "where[$or][0][a]=1", `where[a]=${"x".repeat(101)}`])
      expect(reasonOf(other)).toBe(`${json}{"<field>":<value>}`);
    expect(detailsOf("where[status]=open", ["limit"])[0]?.reason).toBe("unknown parameter");
    expect(detailsOf("status=open", ["cascade"])).toEqual([{ path: "status", reason: "unknown parameter" }]);
  });

  it("refuses percent-encoding that is not UTF-8", () => {
    expect(detailsOf("a=%ff", ["a"])).toEqual([{ path: "a", reason: "malformed percent-encoding" }]);
    expect(detailsOf("%ff=1", ["a"])).toEqual([{ path: "%ff", reason: "malformed percent-encoding" }]);
  });

  it("hold no NUL, as no body does", () => {
    expect(detailsOf("a=x%00y", ["a"])).toEqual([{ path: "a", reason: "must not contain NUL" }]);
  });

  it("names a bounded number of problems", () => {
    const search = Array.from({ length: 5000 }, (_, at) => `x${at}`).join("&");
    expect(detailsOf(search, [])).toHaveLength(50);
  });
});
