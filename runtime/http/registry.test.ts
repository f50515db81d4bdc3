import { expect, it } from "vitest";
import type { RouteTable } from "../realm/exchange.ts";
import { segmentsOf } from "./paths.ts";
import { Registry } from "./registry.ts";
import { ok, realmOf, routes } from "./testing/server.ts";

function registryOf(table: RouteTable): Registry {
  const registry = new Registry(true);
  registry.addRealm(realmOf(table));
  return registry;
}

it("parameters of one place are called what the pattern of the method calls them", () => {
  const registry = registryOf({
    "/v1/shop/pairs/:one": routes(["GET"], () => ok({})),
    "/v1/shop/pairs/:other": routes(["DELETE"], () => ok({})),
  });
  const methods = registry.paths.get(segmentsOf("/v1/shop/pairs/1"));
  expect(
    [...(methods ?? [])].map(([method, { endpoint, parameters }]) => [method, endpoint.pattern, parameters]),
  ).toEqual([
    ["GET", "/v1/shop/pairs/:one", [["one", 4]]],
    ["HEAD", "/v1/shop/pairs/:one", [["one", 4]]],
    ["DELETE", "/v1/shop/pairs/:other", [["other", 4]]],
  ]);
});

it("what says why there is nothing at a path gives it no method", () => {
  const registry = registryOf({
    "/v1/shop/pairs/one": routes(["GET"], () => ok({})),
    "/v1/shop/pairs/:other": { absent: () => ({ class: "document", handle: () => ok({}) }) },
  });
  expect(registry.paths.get(segmentsOf("/v1/shop/pairs/two"))).toBeUndefined();
  expect(registry.absent.get(segmentsOf("/v1/shop/pairs/two"))).toMatchObject({
    endpoint: { pattern: "/v1/shop/pairs/:other" },
    parameters: [["other", 4]],
  });
});

it("a path and a method have one route", () => {
  const get = routes(["GET"], () => ok({}));
  expect(() => registryOf({ "/v1/shop/pairs/:one": get, "/v1/shop/pairs/:other": get })).toThrow(
    "two routes for GET /v1/shop/pairs/:other",
  );
});
