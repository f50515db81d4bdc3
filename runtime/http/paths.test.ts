import { expect, it } from "vitest";
import { PathTable, parametersOf, segmentsOf } from "./paths.ts";

function tableOf(patterns: readonly string[]): PathTable<string> {
  const table = new PathTable<string>();
  for (const pattern of patterns) table.at(pattern, () => pattern);
  return table;
}

function find(target: string): string | undefined {
  const table = tableOf([
    "/v1/a/b/c",
    "/v1/a/b/c/:id",
    "/v1/a/b/c/:id/restore",
    "/v1/a/b/_batch",
    "/healthz",
  ]);
  return table.get(segmentsOf(target));
}

it("finds a path by its pattern, whatever the method", () => {
  expect(find("/v1/a/b/c?x=1")).toBe("/v1/a/b/c");
  expect(find("/v1/a/b/c/17")).toBe("/v1/a/b/c/:id");
  expect(find("/v1/a/b/c/17/restore")).toBe("/v1/a/b/c/:id/restore");
  expect(find("http://host/v1/a/b/_batch#x")).toBe("/v1/a/b/_batch");
  expect(find("/v1/a/b/%63")).toBe("/v1/a/b/c");
  expect(find("/healthz")).toBe("/healthz");
});

it("takes no decoded slash or newline for a boundary", () => {
  expect(find("/v1/a/b%2Fc")).toBeUndefined();
  expect(find("/v1/a%22,%22b/c")).toBeUndefined();
  expect(find("/v1/a/b/c/1%2Frestore")).toBe("/v1/a/b/c/:id");
});

it("finds nothing for other paths and malformed encodings", () => {
  for (const target of [
    "/",
    "",
    "*",
    "/v1/a/b/d",
    "/v1/a/b/c/1/purge",
    "/v1/a/b/c/",
    "/v1/%zz",
    "//v1/a/b/c",
  ]) {
    if (target === "/v1/a/b/c/") expect(find(target)).toBe("/v1/a/b/c/:id");
    else expect(find(target), target).toBeUndefined();
  }
});

it("a name goes before a parameter, further left first, whatever was there first", () => {
  const patterns = ["/a/:b/c/d", "/a/b/:c/e", "/:a/b/c/e", "/a/:b/:c/:d", "/a/b/:c/:d/:e", "/a/b/c/f/g"];
  for (const given of [patterns, patterns.toReversed()]) {
    const table = tableOf(given);
    expect(table.get(segmentsOf("/a/b/c/e"))).toBe("/a/b/:c/e");
    // What a name leads to may be nothing in the end.
    expect(table.get(segmentsOf("/a/b/c/d"))).toBe("/a/:b/c/d");
    expect(table.get(segmentsOf("/a/b/c/x"))).toBe("/a/:b/:c/:d");
    expect(table.get(segmentsOf("/x/b/c/e"))).toBe("/:a/b/c/e");
    expect(table.get(segmentsOf("/a/b/c/f/h"))).toBe("/a/b/:c/:d/:e");
    expect(table.get(segmentsOf("/a/b/c"))).toBeUndefined();
  }
});

it("patterns that differ in what parameters are called stand for the same paths", () => {
  const table = tableOf(["/a/:id"]);
  expect(table.at("/a/:name", () => "another")).toBe("/a/:id");
  expect(table.at("/a/id", () => "another")).toBe("another");
});

it("knows where the parameters of a pattern stand", () => {
  expect(parametersOf("/v1/a/:org/teams/:team")).toEqual([
    ["org", 3],
    ["team", 5],
  ]);
  expect(parametersOf("/v1/a")).toEqual([]);
});

it("parameters are decoded once; members of every object are names like others", () => {
  expect(segmentsOf("/a/%2541/?b=%zz")).toEqual(["", "a", "%41", ""]);
  expect(find("/v1/a/b/c/constructor")).toBe("/v1/a/b/c/:id");
  for (const name of ["__proto__", "constructor", "toString"]) expect(find(`/${name}`)).toBeUndefined();
});
