/** `realmc matrix`: what it prints, and what it refuses. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { writeRealm } from "../diff/testing/case.ts";
import { packageRoot } from "../package/package.ts";
import { commandsIn } from "./testing/commands.ts";

const testdata = new URL("../matrix/testdata/", import.meta.url);

describe("of the examples", () => {
  const realmc = commandsIn(packageRoot);
  const files = { text: "txt", markdown: "md", json: "json", html: "html" };
  it.each(Object.entries(files))("as %s (UPDATE_GOLDEN=1 writes it)", async (format, extension) => {
    const { status, stdout, stderr } = await realmc("matrix", "examples", "--format", format);
    expect([status, stderr]).toEqual([0, ""]);
    const golden = new URL(`examples.golden.${extension}`, testdata);
    if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(golden, stdout);
    expect(stdout).toBe(readFileSync(golden, "utf8"));
  });

  it("is a page that loads nothing, with a name for every table and header for every cell", async () => {
    const { stdout } = await realmc("matrix", "examples", "--format", "html");
    expect(stdout).not.toMatch(/<script|<link|<img|src=|url\(|@import|https?:/);
    expect(stdout.match(/<caption /g)).toHaveLength(10);
    expect(stdout.match(/<th scope="col">/g)?.length).toBeGreaterThan(40);
    expect(stdout.match(/<th scope="row">/g)?.length).toBeGreaterThan(70);
  });
});

describe("of a configuration", () => {
  let folder: string;
  let realmc: ReturnType<typeof commandsIn>;
  const collection = (read: string): string =>
    `rules: { read: ${JSON.stringify(read)}, update: "hasRole('lead')" }\n`;
  const write = (read: string) =>
    writeRealm(join(folder, "config/desk"), {
      realm: "auth: enabled\nroles: { lead: {} }\n",
      schema: { type: "object", properties: { title: { type: "string" }, public: { type: "boolean" } } },
      collection: collection(read),
    });
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "realmc-matrix-"));
    realmc = commandsIn(folder);
    write("document.public || hasRole('lead')");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is read from config where no folder is named", async () => {
    const { status, stdout } = await realmc("matrix");
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        "desk db/notes",
        "             create  read    update  delete",
        "  anonymous  never   if 1    never   never",
        "  signed in  never   if 1    never   never",
        "  owner      never   if 1    never   never",
        "  role lead  never   always  always  never",
        "  key        always  always  always  always",
        "  1  document.public",
        "",
      ].join("\n"),
    );
  });

  it("--check names each cell that is another than the committed one, and exits 1", async () => {
    const { stdout } = await realmc("matrix", "--format", "json");
    writeFileSync(join(folder, "matrix.json"), stdout);
    expect(await realmc("matrix", "--check", "matrix.json")).toEqual({
      status: 0,
      stdout: "",
      stderr: "the matrix is that of matrix.json\n",
    });
    write("document.title == 'a' || hasRole('lead')");
    const changed = await realmc("matrix", "--check", "matrix.json");
    expect(changed.status).toBe(1);
    expect(changed.stdout).toBe(
      ["anonymous", "signed in", "owner"]
        .map((row) => `desk db/notes ${row}: read was if document.public, is if document.title == 'a'\n`)
        .join(""),
    );
    expect(changed.stderr).toContain("3 cells changed; when that is meant: realmc matrix");
    write("document.public || hasRole('lead')");
  });

  it("--check tells of collections and rows that came or went", async () => {
    writeFileSync(
      join(folder, "old.json"),
      JSON.stringify({
        realms: { desk: { "db/gone": { anonymous: { read: { cell: "always", condition: null } } } } },
      }),
    );
    const { status, stdout } = await realmc("matrix", "--check", "old.json");
    expect(status).toBe(1);
    expect(stdout).toContain("desk db/gone anonymous: read was always, is not there\n");
    expect(stdout).toContain("desk db/notes key: read was not there, is always\n");
  });

  it("--never holds where nobody of the row may, and else shows the cell with the rules behind it", async () => {
    const held = await realmc(
      "matrix",
      "--never",
      "signed in: update db/notes",
      "--never",
      "anonymous: purge desk/db/notes",
    );
    expect(held).toEqual({ status: 0, stdout: "", stderr: "2 of 2 cells are never\n" });
    const broken = await realmc(
      "matrix",
      "--never",
      "anonymous: read db/notes",
      "--never",
      "owner: delete db/notes",
    );
    expect(broken.status).toBe(1);
    expect(broken.stdout.split("\n")).toEqual([
      "desk db/notes anonymous: read must be never, is if document.public",
      "  desk/db/notes/collection.yaml:1 rules.read: document.public || hasRole('lead')",
      "",
    ]);
    expect(broken.stderr).toBe("1 of 2 cells are never\n");
  });

  it.each([
    [["--never", "anonymus: read db/notes"], "desk has no row 'anonymus' (did you mean 'anonymous'?)"],
    [["--never", "anonymous: raed db/notes"], "db/notes has no column 'raed' (did you mean 'read'?)"],
    [["--never", "anonymous: read db/note"], "there is no collection 'db/note' (did you mean 'db/notes'?)"],
    [["--never", "read db/notes"], "names no cell (write '<row>: <column> <database>/<collection>')"],
    [["--never", "constructor: read db/notes"], "desk has no row 'constructor'"],
    [["--check", "none.json"], "cannot read none.json: it does not exist"],
    [["--check", "config/desk/realm.yaml"], "holds no matrix (write it with realmc matrix --format json)"],
    [["--realm", "desc"], "there is no realm 'desc' in config (did you mean 'desk'?)"],
    [["nowhere"], "there is no folder nowhere"],
    [["--format", "pdf"], "Allowed choices are text, markdown, json, html"],
  ])("%s is a mistake of the command line", async (words, message) => {
    const { status, stdout, stderr } = await realmc("matrix", ...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it("is not made of a configuration with mistakes", async () => {
    write("document.nothing");
    const { status, stdout, stderr } = await realmc("matrix");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("rule-unknown-field");
    write("document.public || hasRole('lead')");
  });
});

test("what rules and names hold stays text in every format", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-matrix-"));
  try {
    writeRealm(join(folder, "config/desk"), {
      realm: "auth: enabled\n",
      schema: { type: "object", properties: { title: { type: "string" } } },
      collection: "rules: { read: \"document.title == '<img src=x>|`*\\u001b[31m'\" }\n",
    });
    const realmc = commandsIn(folder);
    const printed = async (format: string) => (await realmc("matrix", "--format", format)).stdout;
    expect(await printed("html")).toContain("document.title == &#39;&lt;img src=x&gt;|`*\\u001b[31m&#39;");
    expect(await printed("html")).not.toContain("<img");
    expect(await printed("markdown")).toContain("if `` document.title == '<img src=x>\\|`*\\u001b[31m' ``");
    expect(await printed("text")).not.toContain("\u001b");
    expect(await printed("text")).toContain("  1  document.title == '<img src=x>|`*\\u001b[31m'");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
