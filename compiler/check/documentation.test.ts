/** The examples of `docs/configuration.md` and `docs/rules.md`, which must be true. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matches } from "../../runtime/filter/predicate.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { noMemberships } from "../../runtime/realm/memberships.ts";
import { renderText } from "../diagnostics/render.ts";
import { analyse } from "../pipeline.ts";
import { emittedRules } from "../rules/testing/emitted.ts";
import { check } from "./testing/check.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function page(name: string): URL {
  return new URL(`../../docs/${name}`, import.meta.url);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

describe("docs/configuration.md", () => {
  test("its examples are one configuration without mistakes", async () => {
    const text = readFileSync(page("configuration.md"), "utf8");
    const files = [...text.matchAll(/^`(helpdesk\/\S+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)];
    expect(files.length).toBe(text.match(/^```(?:yaml|json|ts)\n(?!# yaml-language-server)/gm)?.length);
    for (const [, path = "", content = ""] of files) write(`configuration/${path}`, content);
    expect(await check(join(folder, "configuration"))).toEqual([]);
  });
});

interface Block {
  readonly language: string;
  readonly content: string;
  /** Of the content, in the page. */
  readonly start: number;
}

describe("docs/rules.md", () => {
  const text = readFileSync(page("rules.md"), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 0: all, 1: language = "", 2: content = "" }): Block => ({
      language,
      content,
      start: index + all.indexOf("\n") + 1,
    }),
  );
  const isRealm = ({ content }: Block): boolean => content.startsWith("# realm.yaml");
  const realm = blocks.find(isRealm)?.content ?? "";
  const schema = blocks.find(({ language }) => language === "json")?.content ?? "";
  const examples = blocks.flatMap((block, at) => {
    const next = blocks[at + 1];
    if (block.language !== "yaml" || isRealm(block)) return [];
    return [{ settings: block.content, said: next?.language === "text" ? next : undefined }];
  });

  test("its examples compile, or are told what it shows (UPDATE_DOCS=1 writes that)", async () => {
    write("rules/realm/realm.yaml", realm);
    for (const [at, { settings }] of examples.entries()) {
      write(`rules/realm/db/example${at}/schema.json`, schema);
      write(`rules/realm/db/example${at}/indexes.json`, everyIndex(schema));
      write(`rules/realm/db/example${at}/collection.yaml`, settings);
    }
    const diagnostics = await check(join(folder, "rules"));
    const told = examples.map((_, at) => {
      const path = `realm/db/example${at}/`;
      const own = diagnostics.filter(({ span }) => span.file.startsWith(path));
      return renderText(own, { terminal: false }).replaceAll(path, "");
    });
    let updated = text;
    for (const [at, { said }] of [...examples.entries()].reverse()) {
      if (said === undefined) continue;
      const end = said.start + said.content.length;
      updated = updated.slice(0, said.start) + (told[at] ?? "") + updated.slice(end);
    }
    if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(page("rules.md"), updated);
    expect(told.filter((_, at) => examples[at]?.said === undefined).join("")).toBe("");
    expect(told.filter((output, at) => examples[at]?.said !== undefined && output === "")).toEqual([]);
    expect(readFileSync(page("rules.md"), "utf8")).toBe(updated);
  });

  /** `| Rule | a document | … |` with a row for each rule. */
  const tables = [...text.matchAll(/^\| Rule \| (`\{.*)\|\n\|[-|]+\n((?:\|.*\n)+)/gm)].map(
    ([, head = "", body = ""]) => ({
      documents: cells(head).map((cell): JsonObject => JSON.parse(code(cell))),
      rows: body
        .trimEnd()
        .split("\n")
        .map((line) => cells(line.slice(1))),
    }),
  );
  const rows = tables.flatMap(({ documents, rows: ofTable }) =>
    ofTable.map(([rule = "", ...outcomes]) => ({ rule: code(rule), documents, outcomes })),
  );
  let outcomes: readonly string[][] = [];

  beforeAll(async () => {
    write("tables/realm/realm.yaml", realm);
    for (const [at, { rule }] of rows.entries()) {
      write(`tables/realm/db/rule${String(at).padStart(3, "0")}/schema.json`, schema);
      write(
        `tables/realm/db/rule${String(at).padStart(3, "0")}/collection.yaml`,
        `rules:\n  read: "${rule}"\n`,
      );
    }
    const [compiled] = (await analyse(join(folder, "tables"))).realms;
    if (compiled === undefined) throw new Error("no realm");
    const [database] = compiled.realm.databases;
    const modules = await emittedRules(database?.collections ?? [], compiled.rules);
    const anonymous = {
      user: undefined,
      now: "2026-03-01T12:00:00.000Z",
      appConfig: compiled.realm.appConfig,
      memberships: noMemberships,
    };
    outcomes = modules.map(({ rules: { read } }, at) =>
      (rows[at]?.documents ?? []).map((document) => {
        const checked = read?.check(anonymous, document) ?? false;
        expect(matches(read?.filter(anonymous) ?? { op: "false" }, document)).toBe(checked);
        return String(checked);
      }),
    );
  });

  test.each(rows.map((row, at) => ({ ...row, at })))(
    "its tables are true: $rule",
    ({ at, outcomes: shown }) => {
      expect(outcomes[at]).toEqual(shown);
    },
  );

  test("has tables", () => expect(rows.length).toBeGreaterThan(15));
});

/** An index over every scalar field at the top, so that only what is meant to be shown is told of missing ones. */
function everyIndex(schema: string): string {
  const { properties = {} }: { readonly properties?: Readonly<Record<string, JsonObject>> } =
    JSON.parse(schema);
  const paths = Object.keys(properties).filter((name) => properties[name]?.type !== "object");
  return JSON.stringify({ indexes: ["_meta.owner", ...paths].map((path) => ({ fields: [path] })) });
}

function cells(row: string): string[] {
  return row
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
}

function code(cell: string): string {
  return cell.replace(/^`|`$/g, "");
}
