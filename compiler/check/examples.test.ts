/** The examples of the catalogue: every wrong one gives exactly its own code, every right one nothing; hints count for themselves. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.ts";
import { missingIn } from "../cli/missing-secrets.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { CatalogueEntry, Example } from "../diagnostics/entry.ts";
import { withoutHints } from "../diagnostics/sort.ts";
import { exampleFiles, examplePath, exampleRealm } from "../diagnostics/testing/example-realm.ts";
import { analyse } from "../pipeline.ts";
import { catalogue } from "./catalogue.ts";
import { check } from "./testing/check.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-examples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(catalogue);

describe("the examples of the catalogue", () => {
  test("are part of a realm without mistakes", async () => {
    expect(await diagnosticsOf("realm", {})).toEqual([]);
  });

  test.for(entries)("%s", async ([code, { severity, wrong, right }]) => {
    const counted = (found: readonly Diagnostic[]): readonly string[] =>
      (severity === "hint" ? found : withoutHints(found)).map((each) => each.code);
    expect(new Set(counted(await diagnosticsOf(`${code}/wrong`, wrong)))).toEqual(new Set([code]));
    expect(counted(await diagnosticsOf(`${code}/right`, right))).toEqual([]);
  });

  test("in words are those that cannot be shown", () => {
    const inWords = entries.filter(([, { wrong, right }]) => "words" in wrong || "words" in right);
    const sides = inWords.flatMap(([code]) => [`${code}/wrong`, `${code}/right`]);
    expect(sides.sort()).toEqual(Object.keys(spoken).sort());
  });
});

async function diagnosticsOf(name: string, example: Example): Promise<readonly Diagnostic[]> {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  const [config = "", only] = make(root, name, example);
  if (name === "internal-error/wrong") return (await analyse(join(root, config), { step: fail })).diagnostics;
  if (name === "secret-missing/wrong") {
    const store = join(root, "store");
    mkdirSync(store);
    return missingIn(`sqlite:${store}`, (await analyse(join(root, config))).realms, {});
  }
  if (!("before" in example)) return check(join(root, config), only);
  const before = join(root, "before");
  write(before, exampleFiles(example.before));
  return check(join(root, config), only, join(before, "config"));
}

/** The fault that nobody knows. */
function fail(): never {
  throw new Error("never seen before");
}

/** Makes what an example tells of; answers the folder that the compiler is given, and the realm asked for. */
function make(root: string, name: string, example: Example): readonly [string, string?] {
  if ("command" in example) {
    write(root, exampleRealm);
    const [, , config = "", , only] = example.command.split(" ");
    return only === undefined ? [config] : [config, only];
  }
  if ("tree" in example) for (const line of example.tree.split("\n")) plant(root, line);
  else if ("words" in example) speak(root, name);
  else write(root, exampleFiles("before" in example ? example.now : example));
  return ["config"];
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A line of a tree: a symbolic link, or a file that holds the least that its name asks for. */
function plant(root: string, line: string): void {
  const [path = "", target] = line.split(" -> ");
  write(root, { [path]: contents[basename(path)] ?? '{ "type": "object" }\n' });
  if (target === undefined) return;
  rmSync(join(root, path));
  symlinkSync(target, join(root, path));
}

const contents: Readonly<Record<string, string>> = {
  "realm.yaml": "auth: enabled\n",
  "collection.yaml": "soft_delete: true\n",
  "function.yaml": "mode: webhook\ninvoke: true\n",
  "handler.ts": "export default () => undefined;\n",
};

/** Makes an example that stands in words. */
function speak(root: string, name: string): void {
  const files = spoken[name];
  if (files === undefined) throw new Error(`nothing makes the example in words of ${name}`);
  write(root, exampleFiles(files));
  const path = join(root, examplePath("realm.yaml"));
  if (name === "file-unreadable/wrong") {
    rmSync(path);
    execFileSync("mkfifo", [path]);
  }
  if (name === "file-encoding/wrong") writeFileSync(path, readFileSync(path, "utf8"), "latin1");
}

/** The files of the examples that stand in words, by code and side. */
const spoken: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "file-unreadable/wrong": {},
  "file-unreadable/right": {},
  "internal-error/wrong": {},
  "internal-error/right": {},
  "secret-missing/wrong": { "function.yaml": `${contents["function.yaml"]}secrets: [STRIPE_KEY]\n` },
  "secret-missing/right": { "function.yaml": `${contents["function.yaml"]}secrets: [STRIPE_KEY]\n` },
  "file-too-large/wrong": { "schema.json": sized(20_000_000) },
  "file-too-large/right": { "schema.json": sized(20_000) },
  "file-encoding/wrong": { "realm.yaml": "# Büro\nauth: enabled" },
  "file-encoding/right": { "realm.yaml": "# Büro\nauth: enabled" },
  "nested-too-deep/wrong": { "realm.yaml": nested(1_000) },
  "nested-too-deep/right": { "realm.yaml": nested(3) },
  "schema-too-large/wrong": { "schema.json": definitions(true) },
  "schema-too-large/right": { "schema.json": definitions(false) },
  "rule-too-large/wrong": { "collection.yaml": longRule(5_000) },
  "rule-too-large/right": { "collection.yaml": longRule(100) },
};

function sized(bytes: number): string {
  return '{ "type": "object" }'.padEnd(bytes);
}

function nested(depth: number): string {
  return `auth: enabled\napp_config: ${"{ a: ".repeat(depth)}1${" }".repeat(depth)}`;
}

/** Ten definitions, each with a property for each of them: the definition itself, or its id. */
function definitions(inside: boolean): string {
  const names = Array.from({ length: 10 }, (_, at) => `d${at}`);
  const all = (of: (name: string) => JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [name, of(name)]));
  const properties = all((name) => (inside ? { $ref: `#/$defs/${name}` } : { type: "string" }));
  return JSON.stringify({
    type: "object",
    properties: { first: { $ref: "#/$defs/d0" } },
    $defs: all(() => ({ type: "object", properties })),
  });
}

function longRule(characters: number): string {
  return `rules:\n  read: document.title == '${"x".repeat(characters)}'`;
}
