import { expect, it } from "vitest";
import type { Trigger } from "../settings/function/triggers.ts";
import { type FieldRealm, serverFields } from "./server-fields.ts";

const span = { file: "shop/realm.yaml", line: 1, column: 1, endLine: 1, endColumn: 1 };
const trigger: Trigger = { database: "main", collection: "orders", on: ["create"], span };

it.each<[string, FieldRealm, boolean]>([
  [
    "whose functions have triggers",
    { auth: true, functions: [{ triggers: [] }, { triggers: [trigger] }] },
    true,
  ],
  ["without accounts, too", { auth: false, functions: [{ triggers: [trigger] }] }, true],
  ["whose functions have none", { auth: true, functions: [{ triggers: [] }] }, false],
  ["without functions", { auth: true }, false],
])("Document: _meta.chain is of realms %s", (_, realm, has) => {
  expect(Object.hasOwn(serverFields(realm, {}), "_meta.chain")).toBe(has);
});
