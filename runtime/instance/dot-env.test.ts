import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { dotEnv } from "./dot-env.ts";

const folder = mkdtempSync(join(tmpdir(), "dot-env-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("names and values, in quotes or not; comments are passed over", () => {
  const path = join(folder, ".env");
  const lines = [
    "# comment",
    "PLAIN=a b # said",
    "export EXPORTED = x=y ",
    'DOUBLE="a # b\\nc" # said',
    "SINGLE='a # \\n'",
    "EMPTY=",
  ];
  writeFileSync(path, lines.join("\n"));
  expect(dotEnv(path)).toEqual({
    ...{ PLAIN: "a b", EXPORTED: "x=y", DOUBLE: "a # b\nc", SINGLE: "a # \\n", EMPTY: "" },
  });
});

test("no file, no values; what is no file is an error", () => {
  expect(dotEnv(join(folder, "none"))).toEqual({});
  expect(() => dotEnv(folder)).toThrow(/EISDIR/);
});
