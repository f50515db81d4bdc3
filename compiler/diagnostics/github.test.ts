import { expect, test } from "vitest";
import type { Diagnostic } from "./diagnostic.ts";
import { renderGithub } from "./github.ts";

const span = { file: "shop/realm.yaml", line: 2, column: 1, endLine: 3, endColumn: 7 };
const unknown: Diagnostic = {
  code: "unknown-key",
  severity: "error",
  message: "there is no key 'sinup' here",
  span,
};

test("a workflow command a diagnostic, with place, code and severity", () => {
  expect(renderGithub([unknown, { ...unknown, severity: "warning" }])).toBe(
    "::error file=shop/realm.yaml,line=2,col=1,endLine=3,endColumn=7,title=unknown-key::there is no key 'sinup' here\n" +
      "::warning file=shop/realm.yaml,line=2,col=1,endLine=3,endColumn=7,title=unknown-key::there is no key 'sinup' here\n",
  );
  expect(renderGithub([{ ...unknown, severity: "hint" }])).toMatch(
    /^::notice file=shop\/realm\.yaml,line=2,/,
  );
  expect(renderGithub([])).toBe("");
});

test("the hint and related places are further lines of the message", () => {
  const related = [{ message: "it stands here first", span: { ...span, line: 1 } }];
  expect(renderGithub([{ ...unknown, hint: "did you mean 'signup'?", related }])).toMatch(
    /::there is no key 'sinup' here%0Ahint: did you mean 'signup'\?%0Ashop\/realm\.yaml:1:1 it stands here first\n$/,
  );
});

test("what is in a configuration forges neither properties nor commands", () => {
  const forged = {
    ...unknown,
    message: "no key '100%\n::error file=x::y\r\u001b[2J'",
    hint: "a%0Ab\n::stop-commands::x",
    span: { ...span, file: "a,line=9:b%\nc.yaml" },
  };
  expect(renderGithub([forged])).toBe(
    "::error file=a%2Cline=9%3Ab%25%0Ac.yaml,line=2,col=1,endLine=3,endColumn=7,title=unknown-key::" +
      "no key '100%25\\u{a}::error file=x::y\\u{d}\\u{1b}[2J'%0Ahint: a%250Ab\\u{a}::stop-commands::x\n",
  );
});
