/** Configuration text that would like to be code. */
import fc from "fast-check";

export const hostileTexts: readonly string[] = [
  '"; process.exit(1); "',
  "'; globalThis.pwned = 1; '",
  "`$" + "{(globalThis.pwned = 1)}`",
  "*/ globalThis.pwned = 1; /*",
  "*/;globalThis.pwned=1;/*",
  "// x\nglobalThis.pwned = 1;",
  "a\u2028globalThis.pwned = 1;\u2029b",
  "\r\nglobalThis.pwned = 1",
  "\\",
  '\\"',
  "\\u0022",
  "</script><!--",
  "@ts-nocheck",
  "@ts-ignore",
  "biome-ignore lint: no",
  "# sourceMappingURL=data:application/json,{}",
  "__proto__",
  "constructor",
  "\u202e\u2066 // reversed",
  "\u200b\ufeff\u0000\u007f\u0085",
  'require("node:fs")',
  "",
];

export const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: "binary" }),
  fc.tuple(fc.constantFrom(...hostileTexts), fc.constantFrom(...hostileTexts)).map((pair) => pair.join("")),
);
