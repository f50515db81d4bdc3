/** `--standalone-client`: clients that import nothing are what those made of `realmc/client` are. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import * as helpdesk from "../../generated/helpdesk/client.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { startRealm } from "../../runtime/instance/testing/servers.ts";
import { root } from "../workspace.ts";
import { compilers, problems } from "./compilers.ts";

// In the checkout, so that its tests can import them.
const cache = join(root, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "standalone-"));
const examples = join(root, "examples");
const realmc = commandsIn(folder);
const clients = ["blog", "helpdesk", "inventory"].map((realm) => `generated/${realm}/client.ts`);

beforeAll(async () => {
  const { status, stderr } = await realmc("build", examples, "--standalone-client");
  expect([status, stderr.match(/error/)]).toEqual([0, null]);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(clients)("%s", (path) => {
  const textOf = (): string => readFileSync(join(folder, path), "utf8");

  it("imports nothing", () => {
    // A member may have that name.
    expect(textOf()).not.toMatch(/^\s*import\b(?!\??:)|\bfrom "|\brequire\(|\bimport\(/m);
  });

  it("declares every name once", () => {
    const names = [...textOf().matchAll(/^(?:export )?(?:class|const|function|interface|type) (\w+)/gm)];
    const declared = names.map(([, name]) => name);
    expect(declared.length).toBeGreaterThan(100);
    // The signatures of one function stand together.
    const again = declared.filter((name, at) => declared.indexOf(name) !== at && declared[at - 1] !== name);
    expect(again).toEqual([]);
  });
});

it("has nothing of what the realm has not", () => {
  const text = readFileSync(join(folder, "generated/inventory/client.ts"), "utf8");
  expect(text).not.toMatch(/class Accounts|listUsers|signUp\(|class Teams|_orgs/);
  const blog = readFileSync(join(folder, "generated/blog/client.ts"), "utf8");
  expect(blog).not.toMatch(/class (?:Streams|EventParser|LiveDocuments|Teams|Organizations)\b/);
});

it.each(compilers)(
  "compiles under %s with every strictness, and refuses what the others refuse",
  (compiler) => {
    const typing = readFileSync(join(root, "scripts/client/typing.ts"), "utf8");
    writeFileSync(join(folder, "typing.ts"), typing.replaceAll("../../generated", "./generated"));
    const files = [...clients, "typing.ts"].map((path) => relative(root, join(folder, path)));
    expect(problems(compiler, "browser", files)).toEqual([]);
  },
  120_000,
);

it("exports, of what can be called, what the other one does", async () => {
  const alone: object = await import(join(folder, "generated/helpdesk/client.ts"));
  // `administration` is the realm's own; makers of the others' are not needed, nor calls and files where there are none.
  const others = ["organizationAdministration", "peopleAdministration", "callable", "JobFailed", "files"];
  const names = Object.keys(helpdesk).filter((name) => !others.includes(name));
  expect(Object.keys(alone)).toEqual(expect.arrayContaining(names));
});

it("talks to a server", async () => {
  const server = await startRealm([inventory]);
  try {
    const { createClient, isApiError }: typeof import("../../generated/inventory/client.ts") = await import(
      join(folder, "generated/inventory/client.ts")
    );
    const { stock } = createClient({ baseUrl: server.url });
    const item = { sku: "BOLT-M8", name: "Bolt", unit: "piece" } as const;
    const { id } = await stock.items.create(item);
    expect((await stock.items.list({ where: { sku: "BOLT-M8" } })).items.map((each) => each.id)).toEqual([
      id,
    ]);
    const again = stock.items.create(item);
    expect(await again.catch((error: unknown) => isApiError(error, "conflict"))).toBe(true);
  } finally {
    await server.stop();
  }
});

it("--check holds the output against the form that is asked for", async () => {
  expect(await realmc("build", examples, "--check", "--standalone-client")).toMatchObject({ status: 0 });
  const { status, stderr } = await realmc("build", examples, "--check");
  expect(status).toBe(1);
  expect(stderr).toContain("generated/blog/client.ts differs");
}, 120_000);
