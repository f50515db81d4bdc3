import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmittedMigrations, emittedMigrations } from "./testing/emitted.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-migrations-"));
const golden = new URL("testdata/migrations.ts.golden", import.meta.url);
let emitted: EmittedMigrations;

beforeAll(async () => {
  emitted = await emittedMigrations(folder, {
    "desk/realm.yaml": "auth: disabled\n",
    "desk/support/tickets/schema.json": '{ "type": "object" }',
    "desk/support/tickets/_migrations/0001-all-steps.yaml": `
- rename: { from: mail, to: contact.email }
- default: { field: priority, value: 3 }
- convert: { field: price, to: number }
- convert: { field: due, to: date, else: null }
- map: { field: status, values: { todo: open, wontfix: closed, __proto__: "*/" } }
- drop: { field: "it's \\"legacy\\"" }
- set: { field: tier, value: { name: basic, "a-b": [1, null] } }
  when: document.plan == 'free' && document.seats < 3 && document.note != '*/'
- set: { field: tier, value: gold }
  when: document.plan == 'paid' || document.tags.includes('gold')
- set: { field: never, value: 1 }
  when: false
- set: { field: always, value: 1 }
  when: true
`,
    "desk/support/tickets/_migrations/0007-back.yaml": `
- rename: { from: contact.email, to: email }
- map: { field: status, values: { open: new } }
`,
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("emitted migrations are as they would be written by hand (UPDATE_GOLDEN=1 writes them)", () => {
  if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(golden, emitted.text);
  expect(emitted.text).toBe(readFileSync(golden, "utf8"));
});

test("emitted migrations do what their steps say, in their order", () => {
  const [first, second] = emitted.migrations;
  expect([first?.number, first?.name, second?.number, second?.name]).toEqual([
    "0001",
    "all-steps",
    "0007",
    "back",
  ]);
  const document = {
    mail: "a@b.example",
    price: "12.5",
    due: "tomorrow",
    status: "todo",
    'it\'s "legacy"': true,
    plan: "free",
    seats: 2,
  };
  const migrated = {
    contact: { email: "a@b.example" },
    priority: 3,
    price: 12.5,
    due: null,
    status: "open",
    plan: "free",
    seats: 2,
    tier: { name: "basic", "a-b": [1, null] },
    always: 1,
  };
  expect(first?.forward(document, { id: "1" })).toEqual(migrated);
  const { contact: _, ...rest } = migrated;
  expect(second?.forward(migrated, { id: "1" })).toEqual({ ...rest, email: "a@b.example", status: "new" });
});

test("conditions are asked of the document as it is before their step", () => {
  const [first] = emitted.migrations;
  const of = (document: object) => first?.forward({ ...document }, { id: "1" }).tier;
  expect(of({ plan: "paid" })).toBe("gold");
  expect(of({ tags: ["gold"] })).toBe("gold");
  expect(of({ plan: "free", seats: 3 })).toBeUndefined();
  expect(of({ plan: ["paid"] })).toBeUndefined();
});

test("what cannot be converted is thrown, with the field and what it holds", () => {
  const [first] = emitted.migrations;
  expect(() => first?.forward({ price: "a lot" }, { id: "1" })).toThrow(
    "'price' holds a string that cannot be made a number",
  );
});

test("a way back is there where every step has one", () => {
  const [first, second] = emitted.migrations;
  expect(first?.back).toBeUndefined();
  const document = { contact: { email: "a" }, status: "open" };
  const forward = second?.forward(document, { id: "1" }) ?? {};
  expect(second?.back?.(forward, { id: "1" })).toEqual(document);
});
