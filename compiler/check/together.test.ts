/**
 * All mistakes of a run together: of two wrong examples of the catalogue in one realm, neither hides the other, and nothing is
 * told that neither of them tells alone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { runs } from "../../runtime/testing/random.ts";
import type { CatalogueEntry } from "../diagnostics/entry.ts";
import { exampleRealm } from "../diagnostics/testing/example-realm.ts";
import { catalogue } from "./catalogue.ts";
import { check } from "./testing/check.ts";

const root = mkdtempSync(join(tmpdir(), "realmc-together-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Wrong {
  readonly code: string;
  readonly files: Readonly<Record<string, string>>;
}

const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(catalogue);

/** Mistakes in one file alone, by its name; what is wrong beside an earlier version only is held by `retired.test.ts`. */
function inFile(name: string): readonly Wrong[] {
  return entries.flatMap(([code, { wrong }]) => {
    const [text, ...others]: readonly unknown[] = Object.values(wrong);
    const isAlone = name in wrong && others.length === 0;
    return isAlone && typeof text === "string" ? [{ code, files: { [name]: text } }] : [];
  });
}

const base = "config/helpdesk/";
const support = Object.entries(exampleRealm).flatMap(([path, text]) =>
  path.startsWith(`${base}support/`) ? [[path.slice(`${base}support/`.length), text] as const] : [],
);
const ownRealm = `${exampleRealm[`${base}realm.yaml`] ?? ""}\nstorage: { driver: local }\n`;
const ownSchema: JsonObject = JSON.parse(exampleRealm[`${base}support/tickets/schema.json`] ?? "");

let made = 0;

/** The codes told of realm.yaml and of each database, which is the examples' one with other files for `tickets`. */
async function codesOf(
  realm: string,
  databases: readonly Wrong["files"][],
): Promise<{ readonly realm: Set<string>; readonly databases: readonly Set<string>[] }> {
  const folder = join(root, String(made++));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("helpdesk/realm.yaml", realm);
  write("helpdesk/_shared/address.json", exampleRealm[`${base}_shared/address.json`] ?? "");
  for (const [at, files] of databases.entries()) {
    for (const [path, text] of support) write(`helpdesk/d${at}/${path}`, text);
    for (const [name, text] of Object.entries(files)) write(`helpdesk/d${at}/tickets/${name}`, text);
  }
  const found = await check(folder);
  const told = (start: string): Set<string> =>
    new Set(found.flatMap(({ span, code }) => (span.file.startsWith(start) ? [code] : [])));
  return {
    realm: told("helpdesk/realm.yaml"),
    databases: databases.map((_, at) => told(`helpdesk/d${at}/`)),
  };
}

/** The example's schema with the fields of the examples' realm beside its own; as it is where it is no JSON. */
function withFields(text: string): string {
  try {
    const schema: unknown = JSON.parse(text);
    if (!isJsonObject(schema) || (schema.properties !== undefined && !isJsonObject(schema.properties)))
      return text;
    return JSON.stringify({
      ...schema,
      properties: { ...objectOf(ownSchema.properties), ...schema.properties },
    });
  } catch {
    return text;
  }
}

/** The example's realm.yaml with the keys and roles of the examples' realm that it lacks; as it is where it is no YAML. */
function withKeys(text: string): string {
  if (!isJsonObject(parsedYaml(text))) return text;
  const missing = Object.entries(objectOf(parse(ownRealm))).filter(
    ([key]) => !new RegExp(`^["']?${key}\\b`, "m").test(text),
  );
  const roles = ["editor", "hr"].filter((role) => !new RegExp(`\\b${role}:`).test(text));
  const withRoles = text
    .replace(/^roles: \{/m, `roles: { ${roles.map((role) => `${role}: {}, `).join("")}`)
    .replace(/^roles:$/m, ["roles:", ...roles.map((role) => `  ${role}: {}`)].join("\n"));
  return [withRoles, ...missing.map(([key, value]) => `${key}: ${JSON.stringify(value)}`), ""].join("\n");
}

function isRead(text: string): boolean {
  return isJsonObject(parsedYaml(text));
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: "silent" });
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Mistakes in collection.yaml that are held against the mistake with a number: others for each where not all are. */
function partners(number: number): readonly Wrong[] {
  const all = inFile("collection.yaml");
  const every = Math.round(all.length / runs(all.length));
  return all.filter((_, at) => at % every === number % every);
}

/** Which fields there are and of which types is not known of a schema that cannot be parsed. */
const aboutFields: ReadonlySet<string> = new Set([
  ...["field-rule-field", "field-rule-array", "field-rule-empty", "field-rule-retired"],
  ...["reference-name-taken", "reference-field", "reference-field-type", "reference-inside-array"],
  ...["aggregate-field", "aggregate-array", "aggregate-type"],
  ...["rule-unknown-field", "rule-not-boolean", "rule-type", "rule-date"],
]);

/** What is told beside or without what each of the two tells alone. */
function difference(wanted: ReadonlySet<string>, found: ReadonlySet<string>): string[] {
  const hidden = [...wanted].filter((each) => !found.has(each)).map((each) => `${each} is hidden`);
  return [...hidden, ...[...found].filter((each) => !wanted.has(each)).map((each) => `${each} follows`)];
}

describe("a mistake in schema.json hides none in collection.yaml", () => {
  const numbered = inFile("schema.json").map((each, number) => ({ ...each, number }));

  test.for(numbered)("$code", async ({ code, files, number }) => {
    const schema = withFields(files["schema.json"] ?? "");
    const others = partners(number)
      .filter((other) => code !== "json-syntax" || !aboutFields.has(other.code))
      // What a file that cannot be read says of defaults nobody knows.
      .filter(({ files: of }) => code !== "keyword-without-effect" || isRead(of["collection.yaml"] ?? ""));
    const { databases } = await codesOf(ownRealm, [
      { "schema.json": schema },
      ...others.map((other) => ({ ...other.files, "schema.json": schema })),
    ]);
    const [alone = new Set(), ...together] = databases;
    expect(alone).toContain(code);
    expect(
      together.map((found, at) => difference(new Set([...alone, others[at]?.code ?? ""]), found)),
    ).toEqual(others.map(() => []));
  });
});

describe("a mistake in realm.yaml hides none in its collections", () => {
  const numbered = inFile("realm.yaml").map((each, number) => ({ ...each, number }));

  test.for(numbered)("$code", async ({ code, files, number }) => {
    const realm = withKeys(files["realm.yaml"] ?? "");
    // Without authentication there are no rules that could be wrong.
    if (objectOf(parsedYaml(realm)).auth === "disabled") return;
    const isKnown = isRead(realm) && !code.startsWith("yaml-");
    const others = partners(number)
      .filter((other) => isKnown || other.code !== "rule-unknown-role")
      // These go by all collections: one that cannot be understood may be meant to be followed, or to have files.
      .filter(() => code !== "realtime-unused" && code !== "storage-unused");
    const found = await codesOf(
      realm,
      others.map((other) => other.files),
    );
    expect(found.realm).toContain(code);
    expect(found.databases.map((codes, at) => difference(new Set([others[at]?.code ?? ""]), codes))).toEqual(
      others.map(() => []),
    );
  });
});

test("id declared, x-svc-store without a format and minLength: -1 are told together", async () => {
  const properties = {
    id: { type: "string" },
    at: { type: "string", "x-svc-store": "date" },
    name: { type: "string", minLength: -1 },
  };
  const { databases } = await codesOf(ownRealm, [
    { "schema.json": JSON.stringify({ type: "object", properties }), "indexes.json": '{ "indexes": [] }' },
  ]);
  expect(databases).toEqual([new Set(["schema-reserved-field", "schema-date-placement", "out-of-range"])]);
});
