import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { walk } from "./folders.ts";
import { nameProblems } from "./names.ts";
import { createReader } from "./reader.ts";
import { locate } from "./source.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-load-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Codes of what is wrong with one file. */
function read(
  path: string,
  content: string | Buffer,
): { codes: string[]; messages: string[]; value: unknown } {
  write(path, content);
  const reader = createReader(folder);
  const value = reader.read(path)?.value;
  return {
    codes: reader.diagnostics.map((each) => each.code),
    messages: reader.diagnostics.map((each) => each.message),
    value,
  };
}

describe("reading files", () => {
  test("a byte order mark is passed over and takes no column", () => {
    write("a.yaml", "\ufeffauth: enabled\n");
    write("b.json", '\ufeff{ "a": 1 }');
    const reader = createReader(folder);
    const yaml = reader.read("a.yaml");
    expect(yaml?.value).toEqual({ auth: "enabled" });
    expect(yaml && locate(yaml, ["auth"])).toMatchObject({ line: 1, column: 7 });
    expect(reader.read("b.json")?.value).toEqual({ a: 1 });
    expect(reader.diagnostics).toEqual([]);
  });

  test("CRLF line ends are line ends", () => {
    write("a.yaml", "a: 1\r\nb:\r\n  c: x\r\n");
    const file = createReader(folder).read("a.yaml");
    expect(file?.value).toEqual({ a: 1, b: { c: "x" } });
    expect(file && locate(file, ["b", "c"])).toMatchObject({ line: 3, column: 6, endColumn: 7 });
  });

  test("what is not UTF-8 is said to be so", () => {
    expect(read("a.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a])).codes).toEqual(["file-encoding"]);
    const utf16 = read("b.yaml", Buffer.from("\ufeffauth: enabled", "utf16le"));
    expect(utf16.messages).toEqual(["the file is not valid UTF-8 (it looks like UTF-16)"]);
  });

  test("a huge file is not parsed", () => {
    expect(read("a.json", `{"a": "${"x".repeat(1024 * 1024)}"}`).codes).toEqual(["file-too-large"]);
  });

  test("deep nesting is refused in both languages", () => {
    expect(read("a.json", `{"a": ${"[".repeat(200)}${"]".repeat(200)}}`).codes).toEqual(["nested-too-deep"]);
    expect(read("a.yaml", `a: ${"[".repeat(200)}${"]".repeat(200)}\n`).codes[0]).toBe("nested-too-deep");
  });

  test("a missing file and a folder of that name", () => {
    mkdirSync(join(folder, "a.yaml"));
    const reader = createReader(folder);
    reader.read("a.yaml");
    reader.read("b.yaml");
    expect(reader.diagnostics.map((each) => each.message)).toEqual([
      "cannot read this file: it is not a regular file",
      "cannot read this file: it does not exist",
    ]);
  });

  test("each file is read once", () => {
    write("a.yaml", "a: 1\n");
    const reader = createReader(folder);
    const first = reader.read("a.yaml");
    write("a.yaml", "a: 2\n");
    expect(reader.read("a.yaml")).toBe(first);
  });

  test("YAML is 1.2: yes and no are strings, octal has its prefix, no merge keys, no dates", () => {
    const { value } = read("a.yaml", "a: yes\nb: 010\nc: 0o10\nd: 2026-01-01\ne: ~\nf: <<\ng: True\n");
    expect(value).toEqual({ a: "yes", b: 10, c: 8, d: "2026-01-01", e: null, f: "<<", g: true });
  });

  test("aliases repeat values", () => {
    expect(read("a.yaml", "a: &x [1, 2]\nb: *x\n").value).toEqual({ a: [1, 2], b: [1, 2] });
  });
});

describe("the tree", () => {
  const codes = (): string[] => walk(folder).diagnostics.map((each) => `${each.span.file} ${each.code}`);

  function realm(name: string): void {
    write(`${name}/realm.yaml`, "auth: disabled\n");
    write(`${name}/data/items/schema.json`, '{ "type": "object" }');
  }

  test("lists realms, databases and collections, sorted", () => {
    realm("shop");
    realm("desk");
    write("desk/data/bills/schema.json", "{}");
    write("desk/data/bills/indexes.json", "{}");
    const { value, diagnostics } = walk(folder);
    expect(diagnostics).toEqual([]);
    expect(value.map((each) => each.name)).toEqual(["desk", "shop"]);
    expect(value[0]?.databases[0]?.collections).toEqual([
      {
        name: "bills",
        path: "desk/data/bills",
        hasSchema: true,
        hasSettings: false,
        hasIndexes: true,
        migrations: [],
        tests: [],
      },
      {
        name: "items",
        path: "desk/data/items",
        hasSchema: true,
        hasSettings: false,
        hasIndexes: false,
        migrations: [],
        tests: [],
      },
    ]);
  });

  test("only one realm, when one is asked for", () => {
    realm("shop");
    realm("desk");
    write("shop/_x/a.txt", "");
    const { value, diagnostics } = walk(folder, "desk");
    expect(value.map((each) => each.name)).toEqual(["desk"]);
    expect(diagnostics).toEqual([]);
    expect(walk(folder, "deks").diagnostics[0]).toMatchObject({
      code: "unknown-realm",
      hint: "did you mean 'desk'?",
    });
  });

  test("a folder that does not exist, or is a file", () => {
    write("file", "");
    expect(walk(join(folder, "nowhere")).diagnostics[0]?.message).toBe(
      "cannot read this folder: it does not exist",
    );
    expect(walk(join(folder, "file")).diagnostics[0]?.message).toBe(
      "cannot read this folder: it is not a folder",
    );
  });

  test("symbolic links inside the realm are followed", () => {
    realm("desk");
    write("desk/_shared/schema.json", '{ "type": "object" }');
    mkdirSync(join(folder, "desk/data/linked"));
    symlinkSync("../../_shared/schema.json", join(folder, "desk/data/linked/schema.json"));
    expect(codes()).toEqual([]);
    expect(walk(folder).value[0]?.databases[0]?.collections.map((each) => each.name)).toEqual([
      "items",
      "linked",
    ]);
  });

  test("symbolic links out of the realm, or to nothing, are refused", () => {
    realm("desk");
    realm("shop");
    symlinkSync("/etc", join(folder, "desk/data/etc"));
    symlinkSync("../../../shop/data/items/schema.json", join(folder, "desk/data/items/indexes.json"));
    symlinkSync("missing", join(folder, "desk/data/items/collection.yaml"));
    expect(codes().sort()).toEqual([
      "desk/data/etc symlink-outside",
      "desk/data/items/collection.yaml symlink-outside",
      "desk/data/items/indexes.json symlink-outside",
    ]);
  });

  test("a realm that is a link out of the folder is refused", () => {
    realm("desk");
    symlinkSync(tmpdir(), join(folder, "outside"));
    expect(codes()).toEqual(["outside symlink-outside"]);
  });

  test("documentation and scripts are left alone", () => {
    realm("desk");
    for (const name of [
      "README.md",
      "requests.sh",
      ".gitignore",
      "desk/README.md",
      "desk/data/items/notes.txt",
    ])
      write(name, "x");
    expect(codes()).toEqual([]);
  });

  test("names that differ only by case clash", () => {
    expect(nameProblems("collection", "desk/data", ["Items", "bills", "items"])).toMatchObject([
      { code: "name-clash", message: "'items' differs from 'Items' only by case" },
    ]);
  });

  test("the limits of names are exact", () => {
    const bad = (level: "realm" | "database", names: string[]): number =>
      nameProblems(level, "", names).length;
    expect(bad("realm", ["a".repeat(54), "a-1"])).toBe(0);
    expect(bad("realm", ["a".repeat(55), "A", "1a", "a_b"])).toBe(4);
    expect(bad("database", ["a".repeat(63), "A_b-1", "systems"])).toBe(0);
    expect(bad("database", ["a".repeat(64), "1", "System", "sqlite", "SQLITE_x", "a.b"])).toBe(6);
  });
});
