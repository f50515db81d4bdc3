import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmittedMigrations, emittedMigrations } from "./testing/emitted.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-migrations-"));
let emitted: EmittedMigrations;

beforeAll(async () => {
  const text = { type: "string" };
  const closed = (properties: object): string =>
    JSON.stringify({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
  emitted = await emittedMigrations(folder, {
    "desk/realm.yaml": "auth: disabled\n",
    "desk/_shared/words.ts": 'export const words = (text: string): string[] => text.split(" ");\n',
    "desk/support/tickets/schema.json": closed({ first: text, last: text, key: text }),
    "desk/support/tickets/_migrations/0001-trim.ts": `
import { migrate } from "realmc/migrations";
import type { From0001 as From, To0001 as To } from "./$types.ts";
export default migrate<From, To>({ forward: ({ title }) => ({ name: title.trim() }) });
`,
    "desk/support/tickets/_migrations/0001-trim.from.json": closed({ title: text }),
    "desk/support/tickets/_migrations/0002-split.ts": `
import { migrate } from "realmc/migrations";
import { words } from "../../../_shared/words.ts";
import type { From0002 as From, To0002 as To } from "./$types.ts";
export default migrate<From, To>({
  forward: ({ name }, { id }) => {
    const [first = "", last = ""] = words(name);
    return { first, last, key: id };
  },
  back: ({ first, last }) => ({ name: \`\${first} \${last}\` }),
});
`,
    "desk/support/tickets/_migrations/0002-split.from.json": closed({ name: text }),
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("migrations in TypeScript are imported by the collection's, with what they import of the realm", () => {
  const [first, second] = emitted.migrations;
  expect([first?.number, first?.name, second?.number, second?.name]).toEqual([
    "0001",
    "trim",
    "0002",
    "split",
  ]);
  const named = first?.forward({ title: " Ada Lovelace " }, { id: "1" }) ?? {};
  expect(named).toEqual({ name: "Ada Lovelace" });
  expect(second?.forward(named, { id: "7" })).toEqual({ first: "Ada", last: "Lovelace", key: "7" });
});

test("a way back is there where one is given", () => {
  const [first, second] = emitted.migrations;
  expect(first?.back).toBeUndefined();
  expect(second?.back?.({ first: "Ada", last: "Lovelace", key: "7" }, { id: "7" })).toEqual({
    name: "Ada Lovelace",
  });
});
