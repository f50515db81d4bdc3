import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../../scripts/workspace.ts";
import { laidOut } from "./module.ts";

const width = 110;

describe("modules are laid out as the project's formatter keeps them", () => {
  const paths = readdirSync(join(root, "generated"), { recursive: true, encoding: "utf8" });
  const modules = paths
    .filter((path) => path.endsWith(".ts"))
    .map((path) => {
      const text = readFileSync(join(root, "generated", path), "utf8");
      return { path, body: text.replace(/^(?:\/\/.*\n)*(?:import [^;]+;\n)*/, "") };
    });

  test.each([width, 90, 80, 70])("emitted ones, in %i columns", (columns) => {
    expect(modules.length).toBeGreaterThan(20);
    expect(changedByFormatter(modules, columns)).toEqual([]);
  });

  test("what the examples have none of", () => {
    const bodies = { unions, numbers, quotes, choices, composed, bases };
    const modules = Object.entries(bodies).map(([name, body]) => ({ path: `${name}.ts`, body }));
    expect(changedByFormatter(modules, width)).toEqual([]);
  });
});

test("unions that do not fit behind their name stand apart", () => {
  const [a, b] = ["a".repeat(50), `b | "${"b".repeat(40)}`];
  const text = `export interface T { name?: ${JSON.stringify(a)} | ${JSON.stringify(b)} | ((string | null))[] }`;
  expect(laidOut(text, width)).toBe(
    [
      "export interface T {",
      "  name?:",
      `    | "${a}"`,
      `    | 'b | "${"b".repeat(40)}'`,
      "    | (string | null)[];",
      "}",
    ].join("\n"),
  );
});

test("brackets stand where they are needed", () => {
  expect(laidOut("const a = ((b)) || c && (d || (e)) && !(f || g);", width)).toBe(
    "const a = b || (c && (d || e) && !(f || g));",
  );
  expect(laidOut("type A = ((B)) & (C | D) | (readonly (string)[])[]", width)).toBe(
    "type A = (B & (C | D)) | (readonly string[])[];",
  );
});

test("a text that is no module is refused", () => {
  const texts = [
    ...["export const = 1;", "export type A = ;", "interface A { b c }", "const a = b c", "const a = b }"],
    ...[
      "const a = f(;",
      "const a = [1, 2;",
      "const a = (b",
      "const a = { b: 1",
      'const a = "b',
      "function f() {",
    ],
  ];
  for (const text of texts) expect(() => laidOut(text, width), text).toThrow(SyntaxError);
});

interface Module {
  readonly path: string;
  readonly body: string;
}

/** Those that the project's formatter would change, as it would have them. */
function changedByFormatter(modules: readonly Module[], columns: number): readonly Module[] {
  // It passes over what lies where packages do.
  const folder = mkdtempSync(join(tmpdir(), "realmc-layout-"));
  try {
    const ours = modules.map(({ path, body }) => ({ path, body: `${laidOut(body, columns)}\n` }));
    for (const { path, body } of ours) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), body);
    }
    writeFileSync(join(folder, "biome.json"), "{}");
    const options = ["--indent-style=space", "--indent-width=2", `--line-width=${columns}`, "--write", "."];
    execFileSync(join(root, "node_modules/.bin/biome"), ["format", ...options], {
      cwd: folder,
      stdio: "pipe",
    });
    return ours.flatMap(({ path, body }) => {
      const theirs = readFileSync(join(folder, path), "utf8");
      return theirs === body ? [] : [{ path, body: theirs }];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const words = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, at) => JSON.stringify(`${at}`.padEnd(length, "x")));

const unions = `type A = B<${words(2, 45).join(" | ")}>;
type C = B<${words(4, 45).join(" | ")}>;
interface D { a?: ({ b: 1 } | null)[] | null; c: { d: 2, e: "f" } & (G | { h: I[] }); [k: string]: unknown }
type E = readonly (keyof F)[] | { "a b": string };`;

const numbers = `const a = f(b, [${Array.from({ length: 60 }, (_, at) => at * 37).join(", ")}]);
const c = [-1, 1e21, 0.5];`;

const quotes = `const a = { "b": "it's \\"c\\"", "d-e": '"' };`;

const choices = `const a = (b) => c ? d : e;
const f = { g: ({ user }) => (${words(1, 60).join()} === user?.id ? always(hasRole(user, ${words(2, 30).join()})) : not(x)) };
const h = b ? ${words(1, 50).join()} : c ? ${words(1, 50).join()} : ${words(1, 20).join()};`;

const composed = `const a = byCaller(({ user }) => present(user), ({ user }) => hasRole(user, "b"));
const c = or(always(present(user)), byClaims(memberships, fields.org, (claims) => always(claims.a === true)));
const d = byCaller(({ user, memberships }) => hasRole(user, ${words(3, 30).join()}) && inOrg(memberships, user.id));`;

const bases = `export interface ${"A".repeat(60)} extends ${"B".repeat(30)}, Omit<${"C".repeat(30)}, "d"> { e: F }
export const ${"g".repeat(40)}: ${"H".repeat(40)}<${"I".repeat(40)}, J> = { k };
export function ${"l".repeat(40)}(options: ${"M".repeat(40)}, others?: ${"N".repeat(40)}): O { return p(options); }`;
