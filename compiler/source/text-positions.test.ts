import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { runs } from "../../runtime/testing/random.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { parseSource } from "./reader.ts";
import { nodeAt, positionOf } from "./source.ts";
import { placedText } from "./text-positions.ts";

/** The text of `read` in a YAML file, and what stands in the file where each of its characters is said to be. */
function placed(yaml: string) {
  const diagnostics: Diagnostic[] = [];
  const file = parseSource("x.yaml", yaml, diagnostics);
  const node = file === undefined ? undefined : nodeAt(file, ["read"]);
  if (file === undefined || node?.kind !== "scalar")
    throw new Error(`not a scalar: ${yaml} ${JSON.stringify(diagnostics)}`);
  const { text, positions, span } = placedText(file, node);
  const lines = yaml.split("\n");
  const position = (offset: number): { line: number; column: number } => {
    const run = positions.findLast((each) => each.offset <= offset) ?? { offset: 0, line: 0, column: 0 };
    return { line: run.line, column: run.column + offset - run.offset };
  };
  const characterAt = (offset: number): string => {
    const { line, column } = position(offset);
    return lines[line - 1]?.[column - 1] ?? "\n";
  };
  return { text, span, position, characters: [...Array(text.length).keys()].map(characterAt).join("") };
}

/** Every character but white space stands where it is said to. */
function expectAligned(yaml: string, text: string): void {
  const found = placed(yaml);
  expect(found.text).toBe(text);
  expect(found.characters.replace(/\s/g, " ")).toBe(text.replace(/\s/g, " "));
}

describe("positions of rule texts", () => {
  test("plain", () => expectAligned("a: 1\nread:   document.a == 'x'  # why\n", "document.a == 'x'"));
  test("plain over lines", () => expectAligned("read: a ||\n  b &&\n    c\nnext: 1\n", "a || b && c"));
  test("plain with CRLF", () => expectAligned("read: a ||\r\n  b\r\n", "a || b"));
  test("in a flow mapping", () => expectAligned("read: a\nx: {y: b}\n", "a"));
  test("double quotes", () => expectAligned('read: "a == b"\n', "a == b"));
  test("double quotes over lines", () => expectAligned('read: "a ||\n  b"\n', "a || b"));
  test("single quotes", () => expectAligned("read: 'a == b'\n", "a == b"));
  test("a block", () => expectAligned("read: |\n  a ||\n    b\n  c\n", "a ||\n  b\nc"));
  test("a block with an indentation indicator and blank lines", () =>
    expectAligned("read: |2-\n\n    a\n\n   b\n", "a\n\n b"));
  test("a folded block", () => expectAligned("read: >-\n  a ||\n  b\n\n  c\n", "a || b\nc"));
  test("a folded block with more indented lines", () =>
    expectAligned("read: >\n  a\n    b\n  c\n", "a\n  b\nc"));
  test("a boolean", () => expectAligned("read: true\n", "true"));

  test("an escaped quote stands where its escape does", () => {
    const single = placed("read: 'a == ''x'' && b'\n");
    expect(single.text).toBe("a == 'x' && b");
    expect(single.position(single.text.indexOf("x"))).toEqual({ line: 1, column: 15 });
    expect(single.position(single.text.indexOf("b"))).toEqual({ line: 1, column: 22 });
    const double = placed('read: "a == \\"x\\" && \\u0062"\n');
    expect(double.text).toBe('a == "x" && b');
    expect(double.position(double.text.indexOf("x"))).toEqual({ line: 1, column: 15 });
    expect(double.position(double.text.indexOf("b"))).toEqual({ line: 1, column: 22 });
  });

  test("an escaped line break stands for nothing", () => {
    const { text, position } = placed('read: "a \\\n   == b"\n');
    expect(text).toBe("a == b");
    expect(position(2)).toEqual({ line: 2, column: 4 });
  });

  test("the end is just after the last character", () => {
    const { text, span, position } = placed("read: 'x == ''y'''\n");
    expect(text).toBe("x == 'y'");
    expect(position(text.length)).toEqual({ line: 1, column: 18 });
    expect(span).toEqual({ file: "x.yaml", line: 1, column: 8, endLine: 1, endColumn: 18 });
  });

  test("whatever style the yaml package writes, every character is found", () => {
    const token = fc.constantFrom(
      "a",
      "b.c",
      "==",
      "'x'",
      '"y"',
      "||",
      "\n",
      "  ",
      "\\",
      "é",
      "😀",
      "#",
      ": ",
      "\t",
      "-",
    );
    const style = fc.constantFrom("PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED");
    fc.assert(
      fc.property(
        fc.array(token, { minLength: 1, maxLength: 30 }),
        style,
        fc.integer({ min: 20, max: 60 }),
        (tokens, as, lineWidth) => {
          const value = `start ${tokens.join(" ")} end`;
          const yaml = stringify({ before: 1, read: value }, {
            defaultStringType: as,
            defaultKeyType: "PLAIN",
            lineWidth,
          } as const);
          const { text, position } = placed(yaml);
          expect(text).toContain("start");
          const lines = yaml.split("\n");
          for (let at = 0; at < text.length; at++) {
            const character = text.charAt(at);
            if (/[\s\\"']/.test(character) || /[\ud800-\udfff]/.test(character)) continue;
            const { line, column } = position(at);
            expect(lines[line - 1]?.[column - 1]).toBe(character);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

test("positionOf finds line and column by binary search", () => {
  const starts = [0, 5, 6, 20];
  expect(positionOf(starts, 0)).toEqual({ line: 1, column: 1 });
  expect(positionOf(starts, 5)).toEqual({ line: 2, column: 1 });
  expect(positionOf(starts, 19)).toEqual({ line: 3, column: 14 });
  expect(positionOf(starts, 99)).toEqual({ line: 4, column: 80 });
});
