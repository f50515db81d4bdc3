/** Configurations that no repository can hold, or that are made to hurt: each gets its diagnostics, and soon. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { renderText } from "../diagnostics/render.ts";
import { check } from "./testing/check.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const realm = "desk/realm.yaml";
const schema = "desk/support/tickets/schema.json";
const settings = "desk/support/tickets/collection.yaml";
const indexes = "desk/support/tickets/indexes.json";

const sound: Readonly<Record<string, string>> = {
  [realm]: "auth: enabled\n",
  [schema]: '{ "type": "object", "properties": { "title": { "type": "string" } } }\n',
};

function configuration(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "realmc-hostile-"));
  folders.push(folder);
  for (const [path, text] of Object.entries({ ...sound, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** `file:line:column code` of every diagnostic. */
async function places(folder: string): Promise<string[]> {
  const found = await check(folder);
  return found.map(({ span, code }) => `${span.file}:${span.line}:${span.column} ${code}`);
}

async function placesOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string[]> {
  return places(configuration(files));
}

function repeated(count: number, of: (at: number) => string, separator = ""): string {
  return Array.from({ length: count }, (_, at) => of(at)).join(separator);
}

describe("files", () => {
  test("larger than 1 MiB are not read", async () => {
    const files = { [settings]: `#${"x".repeat(1024 * 1024)}\n`, [schema]: `${" ".repeat(1024 * 1024)}{}` };
    expect(await placesOf(files)).toEqual([`${settings}:1:1 file-too-large`, `${schema}:1:1 file-too-large`]);
  });

  test.skipIf(process.platform === "win32")("that are pipes are not waited for", async () => {
    const folder = configuration({});
    execFileSync("mkfifo", [join(folder, settings), join(folder, indexes)]);
    expect(await places(folder)).toEqual([
      `${settings}:1:1 file-unreadable`,
      `${indexes}:1:1 file-unreadable`,
    ]);
  });

  test("that are folders are no files", async () => {
    const folder = configuration({});
    rmSync(join(folder, schema));
    mkdirSync(join(folder, schema));
    expect(await places(folder)).toEqual([`${schema}:1:1 missing-schema`, `${schema}:1:1 unexpected-folder`]);
  });

  test("of arbitrary bytes are refused where they stop being text", async () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256);
    const files = {
      [schema]: bytes,
      [settings]: Uint8Array.of(0xef, 0xbb, 0xbf),
      [indexes]: Uint8Array.of(0),
    };
    expect(await placesOf(files)).toEqual([
      `${settings}:1:1 empty-file`,
      `${indexes}:1:1 json-syntax`,
      `${schema}:1:2 file-encoding`,
    ]);
  });

  test("with CRLF have the same places as with LF", async () => {
    const files = {
      [realm]: "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editor, boss]\n",
      [schema]: '{\n  "type": "object",\n  "properties": {\n    "id": { "type": "string" }\n  }\n}\n',
      [settings]: [
        "rules:",
        "  read: |",
        "    document.id == 'x' ||",
        "    document.titel == 'y'",
        "  create: >",
        "    data.titel == 'x'",
        "",
        "    || data.title == 'y'",
        "  update: 'data.titel == ''x''",
        "    && data.title == ''y'''",
        "soft_delete: maybe",
        "",
      ].join("\n"),
    };
    const crlf = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, text.replaceAll("\n", "\r\n")]),
    );
    const found = await placesOf(crlf);
    expect(found).toEqual(await placesOf(files));
    expect(found).toContain(`${settings}:10:13 rule-unknown-field`);
  });
});

describe("folders", () => {
  test("whose names differ only by case clash", async () => {
    const folder = configuration({ "desk/Support/notes/schema.json": '{ "type": "object" }' });
    // A file system that does not distinguish case has merged them.
    const isMerged = readdirSync(join(folder, "desk")).length < 3;
    expect(await places(folder)).toEqual(isMerged ? [] : ["desk/support:1:1 name-clash"]);
  });

  test("and files that links lead to outside of the realm, or nowhere, are refused", async () => {
    const folder = configuration({
      [schema]:
        '{ "type": "object", "properties": { "a": { "$ref": "./secret.json" }, "b": { "$ref": "up/x.json" } } }',
      "other/realm.yaml": "auth: disabled\n",
      "other/data/things/schema.json": '{ "type": "object" }',
    });
    symlinkSync("/etc/passwd", join(folder, "desk/support/tickets/secret.json"));
    symlinkSync("../../other", join(folder, "desk/support/copied"));
    symlinkSync("nowhere", join(folder, "desk/support/gone"));
    symlinkSync("round", join(folder, "desk/support/round"));
    expect(await places(folder)).toEqual([
      "desk/support/copied:1:1 symlink-outside",
      "desk/support/gone:1:1 symlink-outside",
      "desk/support/round:1:1 symlink-outside",
      `${schema}:1:52 ref-outside`,
      `${schema}:1:86 ref-file`,
      "desk/support/tickets/secret.json:1:1 symlink-outside",
    ]);
  });

  test("that contain themselves by a link are walked as deep as folders go", async () => {
    const folder = configuration({});
    symlinkSync(".", join(folder, "desk/self"));
    const found = await places(folder);
    expect(found).toContain("desk/self/self/self:1:1 unexpected-folder");
    expect(found.every((place) => !place.includes("self/self/self/self"))).toBe(true);
  });

  test("and values cannot forge lines of the output, or speak to the terminal", async () => {
    const folder = configuration({
      "a\u001b[31mb\nc/realm.yaml": "auth: disabled\n",
      [settings]: '"\\e[0mkey\\nfake.yaml:1:1 error x": true\n',
    });
    const text = renderText(await check(folder), { terminal: false });
    expect(text).toContain("a\\u{1b}[31mb\\u{a}c:1:1 error invalid-name");
    expect(text).toContain("there is no key '\\u{1b}[0mkey\\u{a}fake.yaml:1:1 error x' here");
    expect(text.split("\n").filter((line) => /\p{Cc}/u.test(line) || !/^(?:a|desk| )/.test(line))).toEqual([
      "",
    ]);
  });

  test("named like members of Object.prototype are names like others", async () => {
    const object = '{ "type": "object", "properties": { "constructor": { "type": "string" } } }';
    const folder = configuration({
      "desk/constructor/toString/schema.json": object,
      "desk/constructor/toString/collection.yaml":
        "rules: { read: document.constructor == 'x' || document.valueOf == null }\nreferences: { hasOwnProperty: { collection: valueOf, field: toString } }\n",
    });
    const file = "desk/constructor/toString/collection.yaml";
    expect(await places(folder)).toEqual([
      `${file}:1:56 rule-unknown-field`,
      `${file}:2:45 reference-collection`,
      `${file}:2:61 reference-field`,
    ]);
  });
});

describe("depth", () => {
  test.each([
    ["brackets", `${"[".repeat(50_000)}1${"]".repeat(50_000)}`],
    ["braces", `${"{a: ".repeat(20_000)}1${"}".repeat(20_000)}`],
    ["dashes", `\n  x:\n    ${"- ".repeat(20_000)}1`],
    ["keys of keys", `\n  ${"? ".repeat(20_000)}1`],
  ])("of YAML by %s is bounded", async (_, value) => {
    const found = await placesOf({ [realm]: `auth: enabled\napp_config: ${value}\n` });
    expect(found).toEqual([expect.stringMatching(/^desk\/realm\.yaml:\d+:\d+ nested-too-deep$/)]);
  });

  test.each(["[", '{"a":'])("of JSON by %s is bounded", async (open) => {
    expect(await placesOf({ [schema]: open.repeat(100_000) })).toEqual([
      `${schema}:1:${129 * open.length + 1} nested-too-deep`,
    ]);
  });

  test("of rules is bounded", async () => {
    const found = await placesOf({
      [settings]: `rules:\n  read: ${"(".repeat(1900)}true${")".repeat(1900)}\n  create: |\n    ${"!".repeat(3900)}true\n  update: ${"a.".repeat(1900)}b\n`,
    });
    expect(found).toEqual(
      [2, 4, 5].map((line) => expect.stringMatching(`^${settings}:${line}:\\d+ rule-too-large$`)),
    );
  });

  test("of folders is looked at once", async () => {
    const found = await placesOf({ [`desk/support/tickets/${"a/".repeat(200)}x.json`]: "{}" });
    expect(found).toEqual(["desk/support/tickets/a:1:1 unexpected-folder"]);
  });
});

describe("growth", () => {
  test("of aliases of aliases is bounded", async () => {
    const levels = repeated(
      9,
      (at) => `  l${at}: &l${at} [${repeated(10, () => (at === 0 ? "x" : `*l${at - 1}`), ", ")}]\n`,
    );
    expect(await placesOf({ [realm]: `auth: enabled\napp_config:\n${levels}` })).toEqual([
      expect.stringMatching(/^desk\/realm\.yaml:\d+:\d+ yaml-alias$/),
    ]);
  });

  test("of a chain of aliases is bounded", async () => {
    const chain = repeated(5000, (at) => `  a${at + 1}: &a${at + 1} [*a${at}]\n`);
    const found = await placesOf({ [realm]: `auth: enabled\napp_config:\n  a0: &a0 1\n${chain}` });
    expect(found).toContain("desk/realm.yaml:3:11 nested-too-deep");
    expect(found.length).toBeLessThan(3);
  });

  test("of many aliases of one small value is none", async () => {
    const list = `[${"*a,".repeat(50_000)}]`;
    expect(await placesOf({ [realm]: `auth: enabled\napp_config:\n  a: &a 1\n  l: ${list}\n` })).toEqual([]);
  });

  test("of an alias means what was marked before it, not after", async () => {
    const found = await placesOf({
      [realm]: "auth: enabled\napp_config: { a: &x 1, l: &l [*x], b: &x text, again: *l }\n",
      [settings]: "rules: { read: appConfig.again.includes(1), create: appConfig.again.includes('text') }\n",
    });
    expect(found).toEqual([`${settings}:1:78 rule-type`]);
  });

  test.each([
    ["in a chain", (at: number) => ({ $ref: `#/$defs/d${at + 1}` }), ["schema-too-large"]],
    ["in a ring", (at: number) => ({ $ref: `#/$defs/d${(at + 1) % 1000}` }), ["schema-too-large"]],
    [
      "of properties",
      (at: number) => ({ properties: { n: { $ref: `#/$defs/d${at + 1}` } } }),
      ["schema-too-large"],
    ],
    [
      "twice each",
      (at: number) => ({ allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${at + 1}` })) }),
      ["schema-too-large"],
    ],
    ["under not", (at: number) => ({ not: { $ref: `#/$defs/d${at + 1}` } }), []],
  ])("of $refs %s is bounded", async (_, link, codes) => {
    const links = Array.from({ length: 1000 }, (_, at) => [`d${at}`, link(at)]);
    const $defs = { ...Object.fromEntries(links), d1000: { type: "string" } };
    const inner = codes.length === 0 ? { not: { $ref: "#/$defs/d0" } } : { $ref: "#/$defs/d0" };
    const text = JSON.stringify({ type: "object", properties: { a: inner }, $defs });
    expect(await placesOf({ [schema]: text })).toEqual(codes.map((code) => `${schema}:1:1 ${code}`));
  });

  test("of files in a ring ends", async () => {
    const ring = Array.from({ length: 200 }, (_, at) => [
      `desk/_shared/f${at}.json`,
      JSON.stringify({ properties: { next: { $ref: `f${(at + 1) % 200}.json` } } }),
    ]);
    const first = '{ "type": "object", "properties": { "a": { "$ref": "../../_shared/f0.json" } } }';
    expect(await placesOf({ [schema]: first, ...Object.fromEntries(ring) })).toEqual([]);
  });

  test("of rules in their combinations ends", async () => {
    const pairs = repeated(60, (at) => `(document.title == 'a${at}' || user.id == 'b${at}')`, " && ");
    const picks = `${"(user.mfa ? document.title : ".repeat(25)}'x'${")".repeat(25)}`;
    const found = await placesOf({
      [indexes]: '{ "indexes": [{ "fields": ["title"] }] }',
      [settings]: `rules:\n  read: |\n    ${pairs}\n  delete: "${picks} == ${picks.replaceAll("mfa", "email_verified")}"\n`,
    });
    // A title and an id each have one value: of three such clauses one does not hold.
    expect(found).toEqual([`${settings}:3:5 rule-constant`]);
  });

  test("of mistakes does not slow down the suggestions", async () => {
    const keys = repeated(5000, (at) => `  key${at}: true\n`);
    const long = "y".repeat(50_000);
    const found = await placesOf({
      [settings]: `rules:\n${keys}`,
      [schema]: JSON.stringify({ type: "object", properties: { [long]: {} } }),
      [indexes]: JSON.stringify({ indexes: [{ fields: [`${long}z`] }] }),
    });
    expect(found).toHaveLength(5001);
  });
});

test("rules cannot leave the place that they are parsed in", async () => {
  const found = await placesOf({
    [settings]: [
      "rules:",
      '  read: "true)\\nexport const x = (true"',
      "  create: \"true); import('fs')\"",
      '  update: "true /*"',
      '  delete: "*/ true //"',
      "fields:",
      '  title: { read: "true\\n);\\ndeclare const evil: any;\\nexport default (evil" }',
      "",
    ].join("\n"),
  });
  expect(found).toEqual(
    [2, 3, 4, 5, 7].map((line) => expect.stringMatching(`^${settings}:${line}:\\d+ rule-syntax$`)),
  );
});
