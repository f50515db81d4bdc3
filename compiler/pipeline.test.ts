import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analyse } from "./pipeline.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-check-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const desk = {
  "desk/realm.yaml":
    "auth: enabled\nroles: { editor: {} }\nprofile: { $ref: ./_shared/person.json#/$defs/profile }\n",
  "desk/_shared/person.json":
    '{ "$defs": { "profile": { "type": "object", "properties": { "nick": { "type": "string" } } } } }',
  "desk/support/tickets/schema.json": `{
  "type": "object",
  "properties": {
    "title": { "type": "string" },
    "by": { "$ref": "../../_shared/person.json#/$defs/profile" },
    "customer_id": { "type": "string" }
  }
}`,
  "desk/support/tickets/collection.yaml":
    "soft_delete: true\nreferences: { customer: { collection: customers, field: customer_id } }\n",
  "desk/support/tickets/indexes.json":
    '{ "indexes": [{ "fields": ["title", "-_meta.deleted_at"] }, { "fields": ["customer_id"] }] }',
  "desk/support/customers/schema.json": '{ "type": "object" }',
};

/** The modules that are loaded with one, by their paths below this folder. */
function loadedWith(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  for (const [, from = ""] of text.matchAll(/^(?:(?:import|export)(?! type\b).*|\} )from "(\.[^"]+)";$/gm))
    loadedWith(join(dirname(path), from), found);
  return found;
}

test("what checks and bundles handlers is loaded for realms with functions alone", () => {
  const loaded = loadedWith("pipeline.ts");
  expect(loaded).toContain("rules/rules.ts");
  expect([...loaded].filter((path) => /^handlers|^functions\/(?:check|tree|bundle)/.test(path))).toEqual([]);
  expect(loadedWith("handlers.ts")).toContain("functions/tree.ts");
});

describe("analyse", () => {
  test("a profile may be a $ref to a schema of objects, and to nothing else", async () => {
    write(desk);
    expect((await analyse(folder)).diagnostics).toEqual([]);
    write({ ...desk, "desk/realm.yaml": "auth: enabled\nprofile: { $ref: ./_shared/person.json }\n" });
    const { diagnostics } = await analyse(folder);
    expect(diagnostics.map(({ code, span }) => `${span.file} ${code}`)).toEqual([
      "desk/realm.yaml schema-not-object",
    ]);
  });

  test("a sound configuration becomes plain data", async () => {
    write({
      ...desk,
      "desk/realm.yaml":
        "auth: enabled\nroles: { editor: {} }\nprofile: { type: object, $ref: ./_shared/person.json#/$defs/profile }\n",
    });
    const { realms, diagnostics } = await analyse(folder);
    expect(diagnostics).toEqual([]);
    const realm = realms[0]?.realm;
    expect(realm).toEqual(JSON.parse(JSON.stringify(realm)));
    expect(realm?.profile).toMatchObject({ path: "desk/realm.yaml", pointer: "/profile" });
    expect(realm?.profile?.files.map((file) => file.path)).toEqual([
      "desk/_shared/person.json",
      "desk/realm.yaml",
    ]);
    expect(realm?.inputs.map((input) => input.path)).toEqual([
      "desk/_shared/person.json",
      "desk/realm.yaml",
      "desk/support/customers/schema.json",
      "desk/support/tickets/collection.yaml",
      "desk/support/tickets/indexes.json",
      "desk/support/tickets/schema.json",
    ]);
    const [customers, tickets] = realm?.databases[0]?.collections ?? [];
    expect(customers).toMatchObject({
      name: "customers",
      sources: ["desk/support/customers/schema.json"],
      rules: {},
    });
    expect(tickets).toMatchObject({
      name: "tickets",
      sources: [
        "desk/_shared/person.json",
        "desk/support/tickets/collection.yaml",
        "desk/support/tickets/indexes.json",
        "desk/support/tickets/schema.json",
      ],
      softDelete: {},
    });
    expect(tickets?.fields.map(({ path }) => path)).toEqual(["by", "by.nick", "customer_id", "title"]);
    expect(tickets?.fields.find(({ path }) => path === "by.nick")?.span).toMatchObject({
      file: "desk/_shared/person.json",
      line: 1,
    });
  });

  test("one realm can be loaded alone; mistakes of others are not told", async () => {
    write({ ...desk, "shop/realm.yaml": "auth: disabled\n", "shop/a/b/schema.json": '{ "type": "object" }' });
    const { realms, diagnostics } = await analyse(folder, { only: "shop" });
    expect(realms.map(({ realm }) => realm.name)).toEqual(["shop"]);
    expect(diagnostics).toEqual([]);
  });

  test("what mistakes leave open is marked, and nothing is left out", async () => {
    write({
      "a/realm.yaml": "auth: maybe\n",
      "a/b/c/schema.json": '{ "type": "object" }',
      "d/realm.yaml": "auth: disabled\n",
      "d/e/f/schema.json":
        '{ "type": "objekt", "properties": { "x": { "type": "strng" }, "y": { "type": "string" } } }',
      "d/e/h/schema.json": '{ "type": "object", }',
      "d/e/g/schema.json": '{ "type": "object" }',
    });
    const { realms } = await analyse(folder);
    expect(realms.map(({ realm: { name, unknown } }) => [name, unknown])).toEqual([
      ["a", ["auth"]],
      ["d", undefined],
    ]);
    const collections = realms[1]?.realm.databases[0]?.collections ?? [];
    expect(collections.map(({ name, open, fields }) => [name, open, fields.map(({ path }) => path)])).toEqual(
      [
        ["f", ["", "x"], ["y"]],
        ["g", undefined, []],
        ["h", [""], []],
      ],
    );
  });

  test("the meaning of inputs does not depend on comments, layout or the order of keys", async () => {
    write({
      "a/realm.yaml": "auth: enabled\nsignup: open\n",
      "a/b/c/schema.json": '{ "type": "object", "title": "x" }',
    });
    const first = await analyse(folder);
    write({
      "a/realm.yaml": "# hello\nsignup:   open\nauth: enabled\n",
      "a/b/c/schema.json": '{\n"title":"x","type":"object"}',
    });
    const second = await analyse(folder);
    expect(second.realms[0]?.realm.inputs).toEqual(first.realms[0]?.realm.inputs);
    write({ "a/realm.yaml": "auth: enabled\nsignup: closed\n" });
    expect((await analyse(folder)).realms[0]?.realm.inputs).not.toEqual(first.realms[0]?.realm.inputs);
  });

  test("a $ref may name a file beside the schema, which is no stray then", async () => {
    write({
      "a/realm.yaml": "auth: disabled\n",
      "a/b/c/schema.json": '{ "type": "object", "properties": { "x": { "$ref": "x.yaml" } } }',
      "a/b/c/x.yaml": "type: string\n",
    });
    const { realms, diagnostics } = await analyse(folder);
    expect(diagnostics).toEqual([]);
    expect(realms[0]?.realm.databases[0]?.collections[0]?.fields).toMatchObject([
      { path: "x", kinds: ["string"] },
    ]);
  });

  test("words that every object inherits are plain words", async () => {
    write({
      "a/realm.yaml": "auth: enabled\nsignup: __proto__\nroles: { constructor: {} }\ntoString: 1\n",
      "a/b/c/schema.json":
        '{ "type": "object", "constructor": 1, "properties": { "valueOf": { "type": "string" } } }',
      "a/b/c/indexes.json": '{ "indexes": [{ "fields": ["constructor"] }, { "fields": ["valueOf"] }] }',
    });
    const { diagnostics } = await analyse(folder);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "'constructor' is not a declared field of b/c",
      "JSON Schema 2020-12 has no keyword 'constructor'",
      "'signup' must be 'open', 'invite' or 'closed', not '__proto__'",
      "there is no key 'toString' here",
    ]);
  });

  test("a shared file is validated once, however many schemas reach it", async () => {
    const refers = '{ "type": "object", "properties": { "x": { "$ref": "../../_shared/x.json" } } }';
    write({
      "a/realm.yaml": "auth: disabled\n",
      "a/b/c/schema.json": refers,
      "a/b/d/schema.json": refers,
      "a/_shared/x.json": '{ "typ": "string" }',
    });
    const { diagnostics } = await analyse(folder);
    expect(diagnostics.map(({ span, code }) => `${span.file} ${code}`)).toEqual([
      "a/_shared/x.json schema-unknown-keyword",
    ]);
  });
});
