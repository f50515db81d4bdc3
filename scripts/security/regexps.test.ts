/**
 * ReDoS: no regular expression that the server applies to what clients send takes more than linear time. Those that the
 * golden file lists were found to be safe by the version of recheck that it names, and are analysed again in full runs, and
 * by UPDATE_GOLDEN=1, which writes the file anew; all others are analysed at each run.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { check } from "recheck";
import { Project, SyntaxKind } from "ts-morph";
import { expect, it } from "vitest";
import { isFull } from "../../runtime/testing/random.ts";
import { formats } from "../../runtime/validation/formats.ts";
import { root } from "../workspace.ts";

interface Found {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });

function literalsOf(text: string): readonly (Omit<Found, "place"> & { readonly line: number })[] {
  const file = project.createSourceFile("/file.ts", text, { overwrite: true });
  return file.getDescendantsOfKind(SyntaxKind.RegularExpressionLiteral).map((literal) => {
    const [, source = "", flags = ""] = /^\/(.*)\/(\w*)$/s.exec(literal.getText()) ?? [];
    return { source, flags, line: literal.getStartLineNumber() };
  });
}

/** The literals of the runtime, but for its tests. */
function ofRuntime(): readonly Found[] {
  return readdirSync(join(root, "runtime"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|testing|[\\/]suite[\\/]/.test(path))
    .flatMap((path) =>
      literalsOf(readFileSync(join(root, "runtime", path), "utf8")).map(({ line, ...each }) => ({
        ...each,
        place: `${path}:${line}`,
      })),
    );
}

/** What recheck warns of, and why nobody can make it slow. */
const harmless: Readonly<Record<string, string>> = {
  [String.raw`"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*`]:
    "meets well-formed JSON only: every quote has its partner",
  "^(%*)([^%_]*)(%*)$": "meets patterns of $like, which have four wildcards at most",
  [String.raw` index: (?:\S+\.\$)?(.+?) dup key`]: "meets messages of MongoDB, which name the index first",
  "index '(.*)'$": "meets messages of SQLite about our own indexes",
  [String.raw`INDEX (.+?)(?: \(.*\))?$`]: "meets SQLite's plans of our own statements",
  [String.raw`\/+$`]: "meets the address that a client's programmer gives",
};

/** Those of the package whose formats ours are built on; they stand in functions, too. */
function ofPackage(): readonly Found[] {
  const { url } = fullFormats;
  const text = readFileSync(join(root, "node_modules/ajv-formats/dist/formats.js"), "utf8");
  const found = literalsOf(text).map(({ line, ...each }) => ({ ...each, place: `ajv-formats:${line}` }));
  // Replaced by our own.
  return found.filter(({ source }) => !(url instanceof RegExp && source === url.source));
}

/** What a schema's `format` applies to clients' values. */
function ofFormats(): readonly Found[] {
  return Object.entries(formats).flatMap(([name, format]) => {
    const pattern = typeof format === "object" && "validate" in format ? format.validate : format;
    return pattern instanceof RegExp
      ? [{ place: `format ${name}`, source: pattern.source, flags: pattern.flags }]
      : [];
  });
}

/** The analysis ends by its own limits of size: one that a clock ends finds less on a busy machine. */
const unhurried = { timeout: null, incubationTimeout: null, attackTimeout: null };

const golden = join(root, "scripts/security/testdata/regexps.golden");
const recheck: { readonly version: string } = JSON.parse(
  readFileSync(join(root, "node_modules/recheck/package.json"), "utf8"),
);
const heading = `recheck ${recheck.version}`;

/** What needs no analysis now. */
function knownSafe(): ReadonlySet<string> {
  if (isFull || process.env["UPDATE_GOLDEN"]) return new Set();
  const [version, ...safe] = readFileSync(golden, "utf8").trimEnd().split("\n");
  return new Set(version === heading ? safe : []);
}

it("no regular expression of the runtime takes more than linear time", { timeout: 240_000 }, async () => {
  const all = [...ofRuntime(), ...ofFormats(), ...ofPackage()];
  expect(all.length).toBeGreaterThan(80);
  const slow: string[] = [];
  const met = new Set<string>();
  // The runtime's formats stand among its literals, too, and some of them are the package's.
  const different = new Map(all.map((each) => [`/${each.source}/${each.flags}`, each]));
  const known = knownSafe();
  const safe: string[] = [];
  for (const [key, { place, source, flags }] of different) {
    // What repeats nothing cannot go back and forth.
    if (!/[*+{]/.test(source)) continue;
    const { status } = known.has(key) ? { status: "safe" } : await check(source, flags, unhurried);
    if (status === "safe") {
      safe.push(key);
      continue;
    }
    if (Object.hasOwn(harmless, source)) met.add(source);
    else slow.push(`${place}: /${source}/${flags} ${status}`);
  }
  expect(slow).toEqual([]);
  expect([...met].sort()).toEqual(Object.keys(harmless).sort());
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(golden, [heading, ...safe.sort(), ""].join("\n"));
});

it("those that do are found", async () => {
  for (const source of ["^(a+)+$", "^\\s*(.*?)\\s*$"])
    expect((await check(source, "", unhurried)).status).toBe("vulnerable");
});
