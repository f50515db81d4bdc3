import { expect, it } from "vitest";
import { ofObjects, ofOthers } from "./plain.ts";

it("every name that a JSON value inherits is read by the helper, whatever Node brings", () => {
  const names = (prototype: object): string[] => Object.getOwnPropertyNames(prototype);
  expect(names(Object.prototype).filter((name) => !ofObjects.has(name))).toEqual([]);
  const others = [String, Number, Boolean, Array].flatMap(({ prototype }) => names(prototype));
  expect(others.filter((name) => !ofObjects.has(name) && !ofOthers.has(name))).toEqual([]);
});
