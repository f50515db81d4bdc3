import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { diagnosticsDocument } from "./diagnostics.ts";

test("docs/diagnostics.md is the catalogue (UPDATE_DOCS=1 writes it)", () => {
  const file = new URL("../../docs/diagnostics.md", import.meta.url);
  const written = readFileSync(file, "utf8");
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, diagnosticsDocument(written));
  expect(readFileSync(file, "utf8")).toBe(diagnosticsDocument(written));
});
