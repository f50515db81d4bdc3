import { describe, expect, test } from "vitest";
import { processPlace } from "../../../runtime/store/testing/stores.ts";
import { isFull } from "../../../runtime/testing/random.ts";
import { type Person, wrongIn } from "./judge.ts";
import { crashMigrations } from "./run.ts";

const KILLS = isFull ? 10 : 3;

test("over kills every document is migrated once, and no update is lost", {
  timeout: 400_000,
}, async () => {
  const place = processPlace();
  try {
    const { during, acknowledged, problems } = await crashMigrations(place.setting, place.realm, KILLS);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(KILLS);
    // How many come before all is migrated depends on the machine; the first does on any.
    expect(during).toBeGreaterThan(0);
  } finally {
    await place.discard();
  }
});

describe("the judge finds", () => {
  const whole: Person = { id: "a", first: "first-a", last: "last-a", steps: 2, version: 3, serial: 7 };
  const update = { id: "a", serial: 7, version: 3 };

  test("nothing where all is well", () => {
    expect(wrongIn(["a"], [update], [whole])).toEqual([]);
    expect(wrongIn(["a"], [{ ...update, version: 2 }], [{ ...whole, version: 2 }])).toEqual([]);
    expect(wrongIn(["a"], [{ id: "a", serial: 7 }], [whole])).toEqual([]);
    const { serial: _, ...untouched } = { ...whole, version: 2 };
    expect(wrongIn(["a"], [], [untouched])).toEqual([]);
  });

  test.each<readonly [string, Person]>([
    ["one that was not migrated", { ...whole, first: undefined, name: "first-a last-a" }],
    ["one that was migrated twice", { ...whole, steps: 4 }],
    ["a version that nobody made", { ...whole, version: 4 }],
    ["an update that is lost", { ...whole, version: 2 }],
    ["an update that was overwritten", { ...whole, serial: 6 }],
  ])("%s", (_, person) => {
    expect(wrongIn(["a"], [update], [person])).not.toEqual([]);
  });

  test("a document that is gone, and two updates of one version", () => {
    expect(wrongIn(["a"], [], [])).not.toEqual([]);
    expect(wrongIn(["a"], [update, { ...update, serial: 8 }], [whole])).not.toEqual([]);
  });
});
