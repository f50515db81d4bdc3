import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keysIn, newKey, parseKeys } from "./keys.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-keys-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("SVC_KEYS", () => {
  it("is a list of secrets in base64, newest first", () => {
    const [a, b] = [Buffer.from(newKey()), Buffer.from(newKey())];
    expect(parseKeys(`${a.toString("base64")}, ${b.toString("base64")}\n`)).toEqual([a, b]);
  });

  it.each([
    "",
    ",",
    "c2hvcnQ=",
    `${"A".repeat(44)},`,
    `${"!".repeat(44)}`,
    `${"A".repeat(44)};${"B".repeat(44)}`,
  ])("does not take %j", (text) => {
    expect(parseKeys(text)).toBeUndefined();
  });

  it("without it, a key is made once and kept in the data folder, for nobody else's eyes", () => {
    const first = keysIn(folder);
    expect(first).toHaveLength(1);
    expect(first[0]).toHaveLength(32);
    expect(keysIn(folder)).toEqual(first);
    expect(readdirSync(folder)).toEqual(["keys"]);
    expect(statSync(join(folder, "keys")).mode & 0o777).toBe(0o600);
  });

  it("a data folder's keys can be rotated by hand: a newer one first", () => {
    const [older] = keysIn(folder);
    const newer = Buffer.from(newKey());
    writeFileSync(
      join(folder, "keys"),
      `${newer.toString("base64")},${readFileSync(join(folder, "keys"), "utf8")}`,
    );
    expect(keysIn(folder)).toEqual([newer, older]);
  });

  it("a malformed file stops the start with its name, not its content", () => {
    writeFileSync(join(folder, "keys"), "hunter2");
    expect(() => keysIn(folder)).toThrow(join(folder, "keys"));
    expect(() => keysIn(folder)).not.toThrow("hunter2");
  });
});
