import type { OpenAPIV3_1 } from "openapi-types";
import { expect, test } from "vitest";
import { operationsIn, takeCommonSecurity } from "./security.ts";

type Security = OpenAPIV3_1.SecurityRequirementObject[];

const [session, key]: readonly Security[] = [[{ session: [] }], [{ api_key: [] }]];

function pathsOf(...securities: readonly (Security | undefined)[]): OpenAPIV3_1.PathsObject {
  return Object.fromEntries(
    securities.map((security, at) => [`/${at}`, { get: { responses: {}, ...(security && { security }) } }]),
  );
}

test.each<[what: string, all: readonly Security[], common: Security]>([
  ["what most want", [session ?? [], key ?? [], session ?? []], session ?? []],
  ["of as many the first", [key ?? [], session ?? []], key ?? []],
  ["nothing, where most want nothing", [[], [], key ?? []], []],
  [
    "also what anonymous callers may leave out",
    [[{}, ...(key ?? [])], [{}, ...(key ?? [])], []],
    [{}, ...(key ?? [])],
  ],
])("the document says once %s, and operations say what differs", (_, all, common) => {
  const paths = pathsOf(...all);
  expect(takeCommonSecurity(paths)).toEqual(common);
  const said = operationsIn(paths).map(({ security }) => security);
  expect(said.map((security) => security ?? common)).toEqual(all);
  expect(said).not.toContainEqual(common);
});

test("where there are no operations nothing is said", () => {
  expect(takeCommonSecurity({})).toBeUndefined();
});
