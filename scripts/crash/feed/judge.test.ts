import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { Seen } from "./setting.ts";

const saw = (document: string, did: string, step: number, batch: string | null = null): Seen => {
  return { document: `app.people ${document}`, did, batch, step, place: 0 };
};
const sound = [
  saw("a", "+1", 1),
  saw("a", "~2", 2, "b1"),
  saw("c", "+1", 1),
  saw("c", "~2", 2, "b1"),
  saw("c", "-2", 3, "b1"),
];
const stored = new Map([["app.people a", 2]]);
const acknowledged = ["app.people a ~2", "app.people c -2"];

test("a sound history has no problems", () => {
  expect(judge(acknowledged, sound, stored)).toEqual([]);
});

test.each<[string, readonly Seen[], RegExp]>([
  ["a change that is lost", sound.filter(({ did }) => did !== "+1"), /a was seen as ~2/],
  ["a change that is there twice", [...sound, saw("a", "~2", 4)], /a was seen as \+1 ~2 ~2/],
  [
    "changes out of order",
    [saw("a", "~2", 0, "b1"), ...sound.filter((_, n) => n !== 1)],
    /a was seen as ~2 \+1/,
  ],
  ["a last change that is lost", sound.slice(0, 1), /a was last seen as \+1, and is 2/],
  ["a batch in parts", sound.map((one, n) => (n === 1 ? { ...one, step: 4 } : one)), /b1 was seen in parts/],
  ["a document that was never seen", sound.slice(2), /a was never seen/],
  ["an acknowledged removal that was never seen", sound.slice(0, 4), /c -2 was never seen/],
])("%s", (_, changes, problem) => {
  expect(judge(acknowledged, changes, stored).join("; ")).toMatch(problem);
});
