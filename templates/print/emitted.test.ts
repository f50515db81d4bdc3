import { expect, test } from "vitest";
import { codeText, imported } from "./code.ts";
import { type Emitted, emitted } from "./emitted.ts";

interface Settings {
  readonly name: string;
  readonly limit?: number;
  readonly create?: (name: string) => boolean;
  readonly roles: readonly { readonly name: string }[];
}

test("data is a literal, code stands where it is, what is undefined is left out", () => {
  const settings: Emitted<Settings> = {
    name: "a",
    limit: undefined,
    create: imported("create", "./rules.ts"),
    roles: [{ name: "__proto__" }],
  };
  expect(codeText(emitted(settings))).toBe('{\nname: "a",\ncreate,\nroles: [{ name: "__proto__" }],\n}');
  expect(codeText(emitted({ of: [imported("a", "./a.ts"), 1] }))).toBe("{\nof: [a, 1],\n}");
  expect(codeText(emitted({ ["__proto__"]: 1, b: { c: null } }))).toBe(
    '{ ["__proto__"]: 1, b: { c: null } }',
  );
});
