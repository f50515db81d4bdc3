import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { loadRealms } from "../../check/analyze.ts";
import { compileRules } from "../../rules/rules.ts";
import { openapiDocument } from "./document.ts";

const { value: realms } = await loadRealms(fileURLToPath(new URL("../../../examples", import.meta.url)));

test("there are example realms", () => {
  expect(realms.map(({ name }) => name)).toEqual(["blog", "helpdesk", "inventory"]);
});

describe.each(realms)("the OpenAPI document of example $name", (realm) => {
  const document = openapiDocument(realm, compileRules(realm));

  test("is valid OpenAPI 3.1", async () => {
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  });

  test("describes every collection", () => {
    const paths = realm.databases.flatMap(({ name, collections }) =>
      collections.map((collection) => `/v1/${realm.name}/${name}/${collection.name}`),
    );
    expect(Object.keys(document.paths ?? {})).toEqual(expect.arrayContaining(paths));
  });
});
