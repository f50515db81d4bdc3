import { describe, expect, test } from "vitest";
import { alternatives, closest, didYouMean } from "../../runtime/suggest.ts";
import { catalogue, chapters } from "../check/catalogue.ts";
import { diagnose } from "./catalogue.ts";
import type { Diagnostic, Span } from "./diagnostic.ts";
import { renderCount, renderJson, renderText } from "./render.ts";
import { hasErrors, sorted } from "./sort.ts";

const span: Span = { file: "blog/realm.yaml", line: 2, column: 3, endLine: 2, endColumn: 7 };
const unknown = diagnose("unknown-key", span, { key: "singup" }, { hint: "did you mean 'signup'?" });

describe("the catalogue", () => {
  test("has every code once", () => {
    const codes = Object.values(chapters).flatMap((chapter) => Object.keys(chapter));
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.sort()).toEqual(Object.keys(catalogue).sort());
  });

  test("has codes in kebab case, summaries that are sentences, and examples", () => {
    for (const [code, entry] of Object.entries(catalogue)) {
      expect(code).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
      expect(entry.summary).toMatch(/^[A-Z].*\.$/);
      expect(entry.explanation).toMatch(/\.$/);
      expect(entry.wrong).not.toEqual(entry.right);
    }
  });

  test("fills the parameters of message and hint, and nothing else in braces", () => {
    const { message, hint } = diagnose("missing-realm-file", span, { folder: "shop" });
    expect(message).toBe("the folder 'shop' has no realm.yaml, so it is no realm");
    expect(hint).toContain("shop/realm.yaml");
    expect(diagnose("missing-schema", span, { collection: "a" }).hint).toBe(
      'the smallest schema is { "type": "object" }',
    );
  });
});

describe("rendering", () => {
  test("text is one line with the hint indented below", () => {
    expect(renderText([unknown], { terminal: false })).toBe(
      "blog/realm.yaml:2:3 error unknown-key there is no key 'singup' here\n  hint: did you mean 'signup'?\n",
    );
  });

  test("related places follow", () => {
    const diagnostic = diagnose(
      "duplicate-key",
      span,
      { key: "auth" },
      { related: [{ message: "it stands here first", span }] },
    );
    expect(renderText([diagnostic], { terminal: false })).toContain(
      "\n  blog/realm.yaml:2:3 it stands here first\n",
    );
  });

  test("a terminal shows the line with carets, in colour", () => {
    const source = (): string => "auth: enabled\n\tsingup: open\n";
    const text = renderText([{ ...unknown, span: { ...span, column: 2, endColumn: 8 } }], {
      terminal: true,
      source,
    });
    expect(text).toContain("2 | \tsingup: open\n");
    expect(text).toContain("      \t\u001b[31m^^^^^^\u001b[39m\n");
    for (const end of ["\r\n", "\r"]) {
      const ended = renderText([{ ...unknown, span: { ...span, column: 2, endColumn: 8 } }], {
        terminal: true,
        source: () => source().replaceAll("\n", end),
      });
      expect(ended).toBe(text);
    }
  });

  test("a hint is of a colour of its own, and of its severity in JSON", () => {
    const hint: Diagnostic = { ...unknown, severity: "hint" };
    expect(renderText([hint], { terminal: true })).toContain("\u001b[36mhint\u001b[39m ");
    expect(renderText([hint], { terminal: false })).toMatch(/^blog\/realm\.yaml:2:3 hint unknown-key /);
    expect(JSON.parse(renderJson([hint]))).toMatchObject([
      { severity: "hint", hint: "did you mean 'signup'?" },
    ]);
  });

  test("what concerns a whole file has no excerpt", () => {
    const whole = diagnose("empty-file", { ...span, line: 1, column: 1, endLine: 1, endColumn: 1 }, {});
    expect(renderText([whole], { terminal: true, source: () => "x" })).not.toContain("|");
  });

  test("json has the fields of api-decisions and parses", () => {
    expect(JSON.parse(renderJson([unknown]))).toEqual([
      {
        code: "unknown-key",
        severity: "error",
        message: "there is no key 'singup' here",
        hint: "did you mean 'signup'?",
        file: "blog/realm.yaml",
        line: 2,
        column: 3,
        end_line: 2,
        end_column: 7,
        related: [],
      },
    ]);
    expect(JSON.parse(renderJson([]))).toEqual([]);
  });

  test("the count has errors and warnings, and hints where there are any", () => {
    const warning: Diagnostic = { ...unknown, severity: "warning" };
    const hint: Diagnostic = { ...unknown, severity: "hint" };
    expect(renderCount([unknown, warning, unknown])).toBe("2 errors, 1 warning");
    expect(renderCount([unknown, hint, warning, hint])).toBe("1 error, 1 warning, 2 hints");
    expect(renderCount([hint])).toBe("0 errors, 0 warnings, 1 hint");
  });
});

describe("order", () => {
  const at = (file: string, line: number, column: number, message = "m"): Diagnostic => ({
    code: "c",
    severity: "error",
    message,
    span: { file, line, column, endLine: line, endColumn: column },
  });

  test("is by file, line, column, and numeric", () => {
    const shuffled = [at("b", 1, 1), at("a", 10, 1), at("a", 2, 11), at("a", 2, 2)];
    expect(sorted(shuffled).map(({ span }) => `${span.file}${span.line}:${span.column}`)).toEqual([
      "a2:2",
      "a2:11",
      "a10:1",
      "b1:1",
    ]);
  });

  test("what is said twice is said once", () => {
    expect(sorted([at("a", 1, 1), at("a", 1, 1), at("a", 1, 1, "other")])).toHaveLength(2);
  });

  test("warnings and hints alone are no errors", () => {
    expect(hasErrors([{ ...unknown, severity: "warning" }])).toBe(false);
    expect(hasErrors([{ ...unknown, severity: "hint" }])).toBe(false);
    expect(hasErrors([unknown])).toBe(true);
  });
});

describe("suggestions", () => {
  test("slips of the finger are recognised, other words are not", () => {
    expect(closest("colection", ["collection", "realm"])).toBe("collection");
    expect(closest("auht", ["auth", "signup"])).toBe("auth");
    expect(closest("softdelete", ["soft_delete"])).toBe("soft_delete");
    expect(closest("banana", ["auth", "signup"])).toBeUndefined();
    expect(didYouMean("Titel", ["title"])).toBe("did you mean 'title'?");
  });

  test("alternatives read as a sentence", () => {
    expect(alternatives(["a", "b", "c"])).toBe("'a', 'b' or 'c'");
    expect(alternatives(["a"])).toBe("'a'");
  });
});
