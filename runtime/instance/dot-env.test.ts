import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { dotEnv } from "./dot-env.ts";

const folder = mkdtempSync(join(tmpdir(), "dot-env-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("names and values, in quotes or not; comments and what is no line of it are passed over", () => {
  const path = join(folder, ".env");
  const lines = [
    "# comment",
    "PLAIN=a b # said",
    " export EXPORTED = x=y ",
    'DOUBLE="a # b\\n\\"c\\"" # said',
    "SINGLE='a # \\n'",
    "EMPTY=",
    "no line",
    "9=x",
  ];
  writeFileSync(path, lines.join("\r\n"));
  expect(dotEnv(path)).toEqual({
    ...{ PLAIN: "a b", EXPORTED: "x=y", DOUBLE: 'a # b\n"c"', SINGLE: "a # \\n", EMPTY: "" },
  });
});

test("no file, no values", () => {
  expect(dotEnv(join(folder, "none"))).toEqual({});
});
