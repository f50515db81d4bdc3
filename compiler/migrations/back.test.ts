import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { type DocumentStep, rename, steps, translate } from "../../runtime/realm/migration-steps.ts";
import { runs } from "../../runtime/testing/random.ts";
import type { Step } from "../model/migrations.ts";
import { wayBack } from "./back.ts";

const when = {
  text: "true",
  span: { file: "", line: 1, column: 1, endLine: 1, endColumn: 1 },
  positions: [],
  key: "when",
};

describe("the way back", () => {
  test.each<[string, Step]>([
    ["default", { kind: "default", field: "a", value: 1 }],
    ["set", { kind: "set", field: "a", value: 1 }],
    ["convert", { kind: "convert", field: "a", to: "number" }],
    ["drop", { kind: "drop", field: "a" }],
    ["a map that brings two together", { kind: "map", field: "a", values: { b: "d", c: "d" } }],
    ["a map to other values than texts", { kind: "map", field: "a", values: { b: 1 } }],
    ["a step under a condition", { kind: "rename", from: "a", to: "b", when }],
  ])("there is none through %s", (_, step) => {
    expect(wayBack([step])).toBeUndefined();
    expect(wayBack([{ kind: "rename", from: "x", to: "y" }, step])).toBeUndefined();
  });

  test("goes through the steps from the last to the first", () => {
    expect(
      wayBack([
        { kind: "rename", from: "a", to: "b" },
        { kind: "map", field: "b", values: { c: "d" } },
      ]),
    ).toEqual([
      { kind: "map", field: "b", values: { d: "c" } },
      { kind: "rename", from: "b", to: "a" },
    ]);
  });

  test("there is none through a map to a text that documents had already, where the schema lists them", () => {
    const step: Step = { kind: "map", field: "a", values: { todo: "open" } };
    expect(wayBack([step], () => ["todo", "open"])).toBeUndefined();
    expect(wayBack([step], () => ["todo", "done"])).toBeDefined();
  });

  test("property: back(forward(document)) is the document", () => {
    fc.assert(
      fc.property(migrations, ({ all, document }) => {
        const back = wayBack(all);
        expect(back).toBeDefined();
        expect(through(back ?? [])(through(all)(document))).toEqual(document);
      }),
      { numRuns: runs(2000) },
    );
  });
});

function through(all: readonly Step[]): DocumentStep {
  return steps(
    ...all.map((step) => {
      if (step.kind === "rename") return rename(step.from, step.to);
      if (step.kind === "map") return translate(step.field, step.values);
      throw new Error(`${step.kind} has no way back`);
    }),
  );
}

const words = ["open", "closed", "new", "done"] as const;

/** Documents of an old form in which fields of fixed names may stand, and steps to names that it does not have. */
const migrations = fc
  .record({
    document: fc.record(
      {
        a: value(),
        b: fc.record({ c: value(), d: value() }, { requiredKeys: ["c"] }),
        list: fc.array(fc.record({ e: value(), f: value() }, { requiredKeys: ["e"] }), { maxLength: 3 }),
        status: fc.oneof(fc.constantFrom(...words), fc.array(fc.constantFrom(...words))),
      },
      { requiredKeys: [] },
    ),
    renames: fc.shuffledSubarray([
      ["a", "g"],
      ["a", "b.g"],
      ["b.c", "g.h.i"],
      ["b", "g.b"],
      ["b.d", "b.e"],
      ["list.e", "list.h"],
      ["list.f", "list.g.h"],
      ["list", "g.list"],
    ]),
    values: fc.shuffledSubarray([...words], { minLength: words.length }),
  })
  .map(({ document, renames, values }) => {
    const map: Step = {
      kind: "map",
      field: "status",
      values: Object.fromEntries(words.map((word, at) => [word, values[at] ?? word])),
    };
    const all = [map, ...onceEach(renames)];
    return { all, document: plain(document) };
  });

/** Each name of the old form is renamed once at most, also as a part of a path. */
function onceEach(renames: readonly string[][]): Step[] {
  const touched = new Set<string>();
  return renames.flatMap(([from = "", to = ""]) => {
    const [top = ""] = from.split(".");
    const names = [top, to.split(".")[0] ?? ""];
    if (names.some((name) => touched.has(name))) return [];
    for (const name of names) touched.add(name);
    return [{ kind: "rename", from, to }];
  });
}

function value(): fc.Arbitrary<JsonValue> {
  return fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.constant<JsonValue>([1, "x"]));
}

/** fast-check makes objects without a prototype. */
function plain(document: object): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(document));
  return copy;
}
