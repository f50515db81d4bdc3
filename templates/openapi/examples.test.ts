import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { OpenAPIV3_1 } from "openapi-types";
import { describe, expect, test } from "vitest";
import { analyse } from "../../compiler/pipeline.ts";
import { openapiDocument } from "./document.ts";

const { realms } = await analyse(fileURLToPath(new URL("../../examples", import.meta.url)));

test("there are example realms", () => {
  expect(realms.map(({ realm }) => realm.name)).toEqual(["blog", "helpdesk", "inventory"]);
});

describe.each(realms)("the OpenAPI document of example $realm.name", ({ realm, rules }) => {
  const document = openapiDocument(realm, rules);

  test("is valid OpenAPI 3.1", async () => {
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  });

  // Clients call operations by these names: a name that changes breaks them. UPDATE_GOLDEN=1 writes what was meant.
  test("has the operations, by the ids, that the golden list holds", () => {
    const golden = fileURLToPath(new URL(`./testdata/${realm.name}.operations.golden`, import.meta.url));
    const listed = operationLines(document);
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, listed);
    expect(listed).toBe(readFileSync(golden, "utf8"));
  });

  test("has operation ids that are plain words, and say what is done first", () => {
    const ids = operationLines(document)
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "");
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(id))).toEqual([]);
  });

  test("describes every collection", () => {
    const paths = realm.databases.flatMap(({ name, collections }) =>
      collections.map((collection) => `/v1/${realm.name}/${name}/${collection.name}`),
    );
    expect(Object.keys(document.paths ?? {})).toEqual(expect.arrayContaining(paths));
  });
});

/** `listSupportTickets GET /v1/helpdesk/support/tickets`, one a line. */
function operationLines({ paths = {} }: OpenAPIV3_1.Document): string {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    (["get", "put", "post", "delete", "patch"] as const).flatMap((method) => {
      const id = item?.[method]?.operationId;
      return id === undefined ? [] : [`${id} ${method.toUpperCase()} ${path}\n`];
    }),
  );
  return lines.sort().join("");
}
