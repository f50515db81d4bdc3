import { expect, test } from "vitest";
import { catalogue } from "../check/catalogue.ts";
import { explain } from "./explain.ts";
import { createTerminal } from "./terminal.ts";

function explained(code?: string, isTTY = false): { status: number; out: string; err: string } {
  const [out, err]: [string[], string[]] = [[], []];
  const stream = (written: string[]) => ({ isTTY, write: (text: string) => written.push(text) });
  const terminal = createTerminal({ stdout: stream(out), stderr: stream(err), environment: {} });
  const status = explain(code, terminal);
  return { status, out: out.join(""), err: err.join("") };
}

test("prints the page of a code", () => {
  expect(explained("unknown-key")).toEqual({
    status: 0,
    err: "",
    out: `unknown-key error

A key that does not exist here.

An unknown key is an error: a misspelt setting must not silently fail to apply.
The hint names the key that was probably meant, or those that exist.

Wrong:

  collection.yaml

    softdelete: true

Right:

  collection.yaml

    soft_delete: true
`,
  });
});

test("case does not matter", () => {
  expect(explained("Unknown-Key")).toEqual(explained("unknown-key"));
});

test("every code has a page, in lines that a terminal holds", () => {
  for (const code of Object.keys(catalogue)) {
    const { status, out } = explained(code);
    expect(status).toBe(0);
    expect(out).toMatch(
      /^\S+ (?:error|warning|hint)\n\n[\s\S]+\n\nWrong:\n\n[\s\S]+\n\nRight:\n\n[\s\S]+\n$/,
    );
    expect(out.split("\n").filter((line) => line.length > 110)).toEqual([]);
  }
});

test("without a code it lists all, a line each", () => {
  const lines = explained().out.split("\n");
  for (const [code, { summary }] of Object.entries(catalogue)) {
    expect(lines.filter((line) => line.startsWith(`  ${code} `) && line.endsWith(summary))).toHaveLength(1);
  }
  expect(lines).toContain("Rules");
});

test("an unknown code: a suggestion, exit 1", () => {
  expect(explained("unknwon-key")).toEqual({
    status: 1,
    out: "",
    err: "error: there is no diagnostic 'unknwon-key' (did you mean 'unknown-key'?)\n",
  });
  expect(explained("banana").err).toContain("(realmc explain lists all)");
  expect(explained("constructor").status).toBe(1);
});

test("colours on a terminal only", () => {
  expect(explained("unknown-key", true).out).toContain("\u001b[31mWrong:");
  expect(explained("unknown-key").out).not.toContain("\u001b");
});
