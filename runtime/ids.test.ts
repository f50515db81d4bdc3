import { expect, test } from "vitest";
import { idGenerator } from "./ids.ts";

function clockAt(...times: readonly number[]) {
  const left = [...times];
  return { now: () => left.shift() ?? times.at(-1) ?? 0 };
}

test("Document: an id has 20 characters of lower-case base 32", () => {
  const newId = idGenerator(clockAt(1_700_000_000_000));
  for (let made = 0; made < 100; made++) expect(newId()).toMatch(/^[0-9a-hjkmnp-tv-z]{20}$/);
});

test("Document: ids sort by creation time", () => {
  const times = [0, 1, 2 ** 30, 2 ** 30 + 1, 1_700_000_000_000, 2 ** 48];
  const newId = idGenerator(clockAt(...times));
  const ids = times.map(newId);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(0, 10))).size).toBe(times.length);
});

test("Fine points: ids of one process are monotonic within a millisecond and when the clock steps back", () => {
  const newId = idGenerator(clockAt(5000, 5000, 5000, 4000, 3000, 5000, 5001, 5001));
  const ids = Array.from({ length: 8 }, newId);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(8);
});

test("Fine points: ids stay monotonic when the random part overflows", () => {
  const newId = idGenerator(clockAt(5000), (bound) => bound - 1);
  const [first = "", second = "", third = ""] = [newId(), newId(), newId()];
  expect(first.slice(10)).toBe("zzzzzzzzzz");
  expect(second > first).toBe(true);
  expect(third > second).toBe(true);
});

test("Document: ids of two processes differ in the random part", () => {
  const ids = Array.from({ length: 1000 }, () => idGenerator(clockAt(5000))());
  expect(new Set(ids).size).toBe(1000);
});
