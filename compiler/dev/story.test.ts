import { expect, test } from "vitest";
import type { Explanation } from "./explain.ts";
import { type Outcome, story } from "./story.ts";

const nothing: Explanation = { effects: [], changed: [], added: [], removed: [], without: [] };
const restarted = { served: "restarted", mended: false } satisfies Outcome;
const same = { served: "same", mended: false } satisfies Outcome;
const effect = "support/tickets: collection.yaml → rules.ts";

test.each<[string, Partial<Explanation>, Outcome, readonly string[]]>([
  [
    "a rule",
    { effects: [effect], changed: ["desk"] },
    restarted,
    [`${effect}; realm desk restarted in 210 ms`],
  ],
  [
    "a comment in a rule's file",
    { effects: [effect], changed: ["desk"] },
    same,
    [`${effect}; the server runs the same code`],
  ],
  [
    "a handler",
    { effects: ["support/_func/close: handler.ts → close.cjs"], changed: ["desk"] },
    { served: "renewed", mended: false },
    ["support/_func/close: handler.ts → close.cjs; in new threads in 210 ms"],
  ],
  ["a comment", { without: ["desk/realm.yaml"] }, same, ["desk/realm.yaml: nothing else comes of it"]],
  ["a new realm", { added: ["shop"] }, restarted, ["realm shop added; restarted in 210 ms"]],
  [
    "realms gone",
    { removed: ["a", "b"] },
    restarted,
    ["realms a, b removed (what is stored stays); restarted in 210 ms"],
  ],
  [
    "a mistake undone",
    {},
    { served: "same", mended: true },
    ["no problems any more; the server before goes on"],
  ],
  ["a file that nobody reads", {}, same, []],
  ["a server that was missing", {}, restarted, ["restarted in 210 ms"]],
  [
    "much",
    { effects: Array(3).fill(effect), changed: ["desk"] },
    restarted,
    [effect, effect, effect, "realm desk restarted in 210 ms"],
  ],
])("%s", (_, what, outcome, lines) => {
  expect(story({ ...nothing, ...what }, outcome, "210 ms")).toEqual(lines);
});
