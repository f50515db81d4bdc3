import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../testing/random.ts";
import { longestMailName, mailName } from "./mail-name.ts";

/** What mail programs make links and addresses of, and what changes how the rest of a line reads. */
const refused: Readonly<Record<string, RegExp>> = {
  "a scheme": /[a-z][a-z0-9+.-]*:|:\/\//i,
  "a host": /[\p{L}\p{N}][.。．｡․][\p{L}\p{N}]/u,
  "an address": /[@＠﹫]/u,
  "a path": /[/\\]/,
  "markup, or an encoded word": /[<>&]\w+;|[<>"“”=?`[\]{}|]/,
  controls: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u,
  "bidirectional marks": /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
};

/** Characters that take part in links, addresses, headers and spoofs, and some that do not. */
const hostile = fc.constantFrom(
  ...[
    "http://",
    "https:",
    "www.",
    "evil.example",
    "a@b.example",
    "mailto:",
    "javascript:",
    "．",
    "。",
    "＠",
    "⒈",
    "․",
    "℀",
  ],
  ...[
    "\r\nBcc: x@example.com\r\n\r\n",
    "\n",
    "\r",
    "\0",
    "\u2028",
    "\u0085",
    "\u200b",
    "\u200d",
    "\u00ad",
    "\u202e",
    "\u2066",
  ],
  ...[
    "=?utf-8?q?x?=",
    "<b>",
    '"',
    "“",
    "&amp;",
    "e\u0301",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "ﷺ",
    "\ud800",
    "\u{e0041}",
    "é",
    "Ж",
    "名",
    " ",
    ".",
    "a",
    "Inc.",
  ],
);
const names = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(fc.oneof(hostile, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 60 })
    .map((parts) => parts.join("")),
);

const segments = (text: string) =>
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);

describe("A name in a mail", () => {
  test("has no link, address, control or bidirectional mark, and at most 60 characters", () => {
    fc.assert(
      fc.property(names, (name) => {
        const clean = mailName(name);
        if (clean === undefined) return;
        for (const [what, form] of Object.entries(refused)) expect(clean, what).not.toMatch(form);
        expect(clean.length).toBeLessThanOrEqual(longestMailName);
        expect(clean).toBe(clean.trim());
        expect(clean).toMatch(/[\p{L}\p{N}]/u);
      }),
      { numRuns: runs(20_000) },
    );
  });

  test("is cut between characters as people count them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("e\u0301\u0302", "ก็", "नि", "한", "a"), { minLength: 80, maxLength: 120 }),
        (parts) => {
          const whole = segments(parts.join("").normalize("NFKC"));
          const cut = segments(mailName(parts.join("")) ?? "");
          expect(cut.at(-1)).toBe("…");
          expect(cut.slice(0, -1)).toEqual(whole.slice(0, cut.length - 1));
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test.each([
    ["Compilers & Co", "Compilers & Co"],
    ["  Zoë & Söhne (Köln)  ", "Zoë & Söhne (Köln)"],
    ["O'Brien, Ltd.", "O'Brien, Ltd."],
    ["株式会社コンパイラ", "株式会社コンパイラ"],
    ["Booking.com", "Booking com"],
    ["Acme\r\nBcc: all@example.com", "Acme Bcc"],
    ["Buy at https://evil.example/x now", "Buy at now"],
    ["Buy at evil.example/x now", "Buy at now"],
    ["www.evil.example", undefined],
    ["win@evil.example", undefined],
    ["ev\u200bil\u202e.example", "evil example"],
    ["http:// evil . example", "evil . example"],
    ["=?utf-8?q?hi?=", "utf-8 q hi"],
    ["\u3164\u2800", undefined],
    ["!!!", undefined],
    ["a".repeat(60), "a".repeat(60)],
    ["a".repeat(61), `${"a".repeat(59)}…`],
    [`${"word ".repeat(20)}`, `${"word ".repeat(11)}word…`],
  ])("%j is %j", (name, expected) => {
    expect(mailName(name)).toBe(expected);
  });
});
