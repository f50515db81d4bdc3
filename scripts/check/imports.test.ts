import { expect, it } from "vitest";
import { importsIn } from "./imports.ts";

const specifiers = (text: string) => importsIn(text).map(({ specifier }) => specifier);

it("finds imports and re-exports of one line and of several, and those in the middle of code", () => {
  const text = `
import "./setup.ts";
import one, { two } from "./one.ts";
import {
  three,
  four,
} from "../three.ts";
import data from "./data.json" with { type: "json" };
export * from "./all.ts";
export { five } from "realmc/other";
const lazy = async () => await import("./lazy.ts");
`;
  expect(specifiers(text)).toEqual([
    "./setup.ts",
    "./one.ts",
    "../three.ts",
    "./data.json",
    "./all.ts",
    "realmc/other",
    "./lazy.ts",
  ]);
});

it("tells imports of types alone from those that load a module", () => {
  const text = `import type { A } from "./a.ts";
export type { B } from "./b.ts";
import { type C, c } from "./c.ts";
`;
  expect(importsIn(text)).toEqual([
    { specifier: "./a.ts", isType: true },
    { specifier: "./b.ts", isType: true },
    { specifier: "./c.ts", isType: false },
  ]);
});

it("passes over what only looks like an import", () => {
  const text = `export const from = "./not.ts";
const emitted = [\`  import { a } from "./emitted.ts";\`];
export function copy() {
  return { from: "./neither.ts" };
}
export type Kind = "from" | "to";
`;
  expect(specifiers(text)).toEqual([]);
});
