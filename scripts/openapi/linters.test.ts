/** The emitted documents as linters of others see them. They come from the registry; where that cannot be reached they are skipped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../../runtime/json.ts";
import { missingTools } from "../missing-tools.ts";
import { root } from "../workspace.ts";
import { folder, tool } from "./tools.ts";

let missing: string | undefined;
beforeAll(async () => {
  missing = await missingTools(folder);
}, 300_000);

const file = (realm: string) => join(root, "generated", realm, "openapi.json");

describe.each(["blog", "helpdesk", "inventory"])("the OpenAPI document of %s", (realm) => {
  it("redocly, recommended-strict: reports nothing", { timeout: 120_000 }, async ({ skip }) => {
    skip(missing !== undefined, missing);
    const redocly = "node_modules/@redocly/cli/bin/cli.js";
    const { output } = await tool(
      redocly,
      "lint",
      file(realm),
      "--extends=recommended-strict",
      "--format=json",
    );
    const report: unknown = JSON.parse(
      output.slice(output.indexOf('{\n  "totals"'), output.lastIndexOf("}") + 1),
    );
    if (!isJsonObject(report)) throw new Error(output);
    expect(report["problems"]).toEqual([]);
    expect(report["totals"]).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  it("spectral, spectral:oas: reports nothing", { timeout: 120_000 }, async ({ skip }) => {
    skip(missing !== undefined, missing);
    const spectral = "node_modules/@stoplight/spectral-cli/dist/index.js";
    const { code, output } = await tool(
      spectral,
      "lint",
      "--ruleset=spectral.json",
      "--fail-severity=hint",
      "--format=text",
      file(realm),
    );
    expect(output.trim()).toBe("No results with a severity of 'hint' or higher found!");
    expect(code).toBe(0);
  });

  it("openapi-schema-validator: reports nothing", async () => {
    const document: unknown = JSON.parse(readFileSync(file(realm), "utf8"));
    if (!isJsonObject(document)) throw new Error("no object");
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });
});

it("the linters look: a document with faults is reported", { timeout: 120_000 }, async ({ skip }) => {
  skip(missing !== undefined, missing);
  const redocly = await tool(
    "node_modules/@redocly/cli/bin/cli.js",
    "lint",
    "faulty.json",
    "--extends=recommended-strict",
  );
  expect(redocly.code).toBe(1);
  const spectral = await tool(
    "node_modules/@stoplight/spectral-cli/dist/index.js",
    "lint",
    "--ruleset=spectral.json",
    "--fail-severity=hint",
    "faulty.json",
  );
  expect(spectral.code).toBe(1);
});
