/** What the build says of a schema, in tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonValue } from "../../../runtime/json.ts";
import { check } from "../../check/testing/check.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";

const shared = "r/_shared/s.json";

/** A configuration folder whose collection has a field with this schema, which stands in a file of its own. */
export function folderWith(schema: JsonValue): string {
  const folder = mkdtempSync(join(tmpdir(), "realmc-schema-"));
  const files: Readonly<Record<string, string>> = {
    "r/realm.yaml": "auth: enabled\n",
    "r/d/c/schema.json": JSON.stringify({
      type: "object",
      properties: { v: { $ref: "../../_shared/s.json" } },
    }),
    "r/d/c/collection.yaml": 'rules: { read: "true" }\n',
    [shared]: JSON.stringify(schema, undefined, 1),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Errors that stand in the schema itself. */
export async function schemaErrors(schema: JsonValue): Promise<readonly Diagnostic[]> {
  const folder = folderWith(schema);
  try {
    return (await check(folder)).filter(({ severity, span }) => severity === "error" && span.file === shared);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
