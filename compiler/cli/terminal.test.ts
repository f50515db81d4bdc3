import { expect, test } from "vitest";
import { createTerminal } from "./terminal.ts";

function record(isTTY: boolean, environment: Record<string, string> = {}) {
  const written: string[] = [];
  const stream = (name: string) => ({ isTTY, write: (text: string) => written.push(`${name}:${text}`) });
  return { written, terminal: createTerminal({ stdout: stream("out"), stderr: stream("err"), environment }) };
}

test("on a terminal progress is one changing line, cleared before anything else is said", () => {
  const { written, terminal } = record(true, { NO_COLOR: "1" });
  terminal.step("reading");
  terminal.step("checking");
  terminal.out("done");
  terminal.out("really");
  expect(written).toEqual([
    "err:reading …",
    "err:\r\u001b[Kchecking …",
    "err:\r\u001b[K",
    "out:done\n",
    "out:really\n",
  ]);
});

test.each([
  ["elsewhere", false, {}],
  ["on a dumb terminal", true, { TERM: "dumb" }],
  ["in CI", true, { CI: "true" }],
])("%s progress is plain lines", (_, isTTY, environment) => {
  const { written, terminal } = record(isTTY, environment);
  terminal.step("reading");
  terminal.err("oh");
  expect(written).toEqual(["err:reading\n", "err:oh\n"]);
});

test("colours only on a terminal, and not under NO_COLOR", () => {
  for (const look of ["outLook", "errLook"] as const) {
    expect(record(true).terminal[look]).toEqual({ terminal: true, colored: true });
    expect(record(true, { NO_COLOR: "1" }).terminal[look]).toEqual({ terminal: true, colored: false });
    expect(record(true, { TERM: "dumb" }).terminal[look]).toEqual({ terminal: true, colored: false });
    expect(record(false).terminal[look]).toEqual({ terminal: false, colored: false });
  }
  const { written, terminal } = record(true);
  terminal.fail("no");
  expect(written.join("")).toContain("\u001b[31m");
});
