/** Witnesses and proofs speak of documents that the schemas leave room for. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Change } from "../../settings/change.ts";
import { diffRealms } from "../diff.ts";
import { analyseSides } from "../sides.ts";
import { accounts, type Sketch, writeRealm } from "../testing/case.ts";

interface Case {
  /** Of both versions, or of each. */
  readonly schema: object | readonly [object, object];
  /** `delete: …`, `create: …` before and after. */
  readonly rules: readonly [string, string];
  /** Of the rules: kind, check, and the witnesses. */
  readonly said: string;
}

const count = (limits: object) => ({ type: "object", properties: { count: { type: "integer", ...limits } } });
const required = (schema: object) => ({ ...schema, required: ["count"] });
const code = (limits: object) => ({ type: "object", properties: { code: { type: "string", ...limits } } });
const kinds = {
  type: "object",
  properties: { kind: { enum: ["a", "b"] }, count: { type: "integer" } },
  oneOf: [
    { properties: { kind: { const: "a" }, count: { maximum: 10 } }, required: ["kind"] },
    { properties: { kind: { const: "b" }, count: { minimum: 11 } }, required: ["kind"] },
  ],
};

const cases: Readonly<Record<string, Case>> = {
  "beyond a maximum there is nothing to gain": {
    schema: count({ maximum: 100 }),
    rules: ["delete: document.count <= 100", "delete: document.count <= 200"],
    said: "internal rule-rewritten",
  },
  "beyond a maximum there is nothing to lose": {
    schema: count({ maximum: 100 }),
    rules: ["delete: document.count <= 200", "delete: document.count <= 100"],
    said: "internal rule-rewritten",
  },
  "below an exclusive minimum either": {
    schema: count({ exclusiveMinimum: 5 }),
    rules: ["delete: document.count > 1", "delete: document.count > 5"],
    said: "internal rule-rewritten",
  },
  "what is within is found": {
    schema: count({ maximum: 100, minimum: 20 }),
    rules: ["delete: document.count < 90", "delete: document.count < 1000"],
    said: 'additive rule-widened {"count":90}',
  },
  "a limit may be absent, unless it is required": {
    schema: count({ maximum: 100 }),
    rules: ["delete: document.count <= 100", "delete: true"],
    said: "additive rule-widened a document without count",
  },
  "all values of a required field": {
    schema: required(count({ maximum: 100 })),
    rules: ["delete: document.count <= 100", "delete: true"],
    said: "internal rule-rewritten",
  },
  steps: {
    schema: count({ multipleOf: 5 }),
    rules: ["delete: document.count >= 5", "delete: document.count >= 10"],
    said: 'breaking rule-narrowed {"count":5}',
  },
  "nothing between the steps is a witness": {
    schema: count({ multipleOf: 5 }),
    rules: ["delete: document.count >= 7", "delete: document.count >= 10"],
    said: "breaking rule-undecided",
  },
  "texts of a form": {
    schema: code({ pattern: "^[A-Z]{3}$", examples: ["XYZ"] }),
    rules: ["delete: document.code != 'ABC'", "delete: document.code == null"],
    said: 'breaking rule-narrowed {"code":"XYZ"}',
  },
  "texts of a length": {
    schema: code({ maxLength: 3 }),
    rules: ["delete: document.code == 'long' || document.code == 'abc'", "delete: document.code == 'abc'"],
    said: "internal rule-rewritten",
  },
  "fields that depend on each other": {
    schema: kinds,
    rules: [
      "delete: document.kind == 'a' && document.count > 5",
      "delete: document.kind == 'a' && document.count > 10",
    ],
    said: 'breaking rule-narrowed {"count":10,"kind":"a"}',
  },
  "fields that exclude each other": {
    schema: kinds,
    rules: ["delete: document.kind == 'a' && document.count > 10", "delete: false"],
    said: "breaking rule-undecided",
  },
  "a limit that is raised: what may be written now is gained": {
    schema: [count({ maximum: 100 }), count({ maximum: 200 })],
    rules: ["create: data.count <= 100", "create: data.count <= 150"],
    said: 'additive rule-widened {"count":101}',
  },
  "a limit that is raised: what could not be written is not lost": {
    schema: [count({ maximum: 100 }), count({ maximum: 200 })],
    rules: ["create: data.count <= 150", "create: data.count <= 100"],
    said: "internal rule-rewritten",
  },
  "a limit that is lowered: what was stored before may be seen": {
    schema: [count({ maximum: 200 }), count({ maximum: 100 })],
    rules: ["delete: document.count <= 100", "delete: document.count <= 150"],
    said: 'additive rule-widened {"count":101}',
  },
  "a limit that is lowered: what may not be written any longer is not gained": {
    schema: [count({ maximum: 200 }), count({ maximum: 100 })],
    rules: ["create: data.count <= 100", "create: data.count <= 150"],
    said: "internal rule-rewritten",
  },
};

const folder = mkdtempSync(join(tmpdir(), "realmc-diff-room-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let changes: readonly Change[] = [];

/** All cases at once, a realm each. */
beforeAll(async () => {
  const sketch = (schema: object, rule: string): Sketch => ({
    realm: accounts,
    schema,
    collection: `rules:\n  read: true\n  ${rule}\n`,
  });
  for (const [at, { schema, rules }] of Object.values(cases).entries()) {
    const [before, after] = Array.isArray(schema) ? schema : [schema, schema];
    writeRealm(join(folder, `old/c${at}`), sketch(before, rules[0]));
    writeRealm(join(folder, `now/c${at}`), sketch(after, rules[1]));
  }
  const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
  const found = [sides.old, sides.now].flatMap(({ diagnostics }) => diagnostics);
  expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
  changes = diffRealms(sides.old.realms, sides.now.realms);
}, 60_000);

test.each(Object.entries(cases).map(([name, { said }], at) => [name, at, said] as const))(
  "%s",
  (_, at, said) => {
    const own = changes.filter(({ realm, where }) => realm === `c${at}` && where.includes(" rules."));
    const told = own.map(({ kind, check, message }) => {
      const witnesses = message.match(/\{".*?\}|a document without \w+/g) ?? [];
      return [kind, check, ...witnesses].join(" ");
    });
    expect(told).toEqual([said]);
  },
);
