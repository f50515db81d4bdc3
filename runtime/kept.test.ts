import { expect, test } from "vitest";
import { kept, Recent } from "./kept.ts";

test("Recent keeps the values stored last, and no more than it may", () => {
  const recent = new Recent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.set("b", 3);
  expect([recent.get("a"), recent.get("b")]).toEqual([1, 3]);
  recent.set("c", 4);
  expect([recent.get("a"), recent.get("b"), recent.get("c")]).toEqual([undefined, 3, 4]);
  recent.delete("b");
  recent.set("d", 5);
  expect([recent.get("c"), recent.get("d")]).toEqual([4, 5]);
  recent.clear();
  expect(recent.get("d")).toBeUndefined();
});

test("kept makes what is not there, once", () => {
  const made: string[] = [];
  const lengths = new Map<string, number>();
  const lengthOf = (text: string) =>
    kept(lengths, text, () => {
      made.push(text);
      return text.length;
    });
  expect([lengthOf("ab"), lengthOf(""), lengthOf("ab"), lengthOf("")]).toEqual([2, 0, 2, 0]);
  expect(made).toEqual(["ab", ""]);
});
