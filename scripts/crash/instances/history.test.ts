import { expect, test } from "vitest";
import {
  type Batch,
  type Create,
  check,
  type Final,
  type History,
  type Read,
  type Update,
} from "./history.ts";

const read = (id: string, version: number, value: string, begun: number): Read => {
  return { id, version, value, begun, ended: begun + 1 };
};
const update = (value: string, expected: number, outcome: Update["outcome"]): Update => {
  return { id: "a", value, expected, outcome };
};

/** Two updates, one of them with an unknown end; a batch; a create. */
function sound(): History & { updates: Update[]; reads: Read[]; batches: Batch[]; creates: Create[] } {
  return {
    reads: [
      read("a", 1, "start", 0),
      read("a", 2, "u1", 10),
      read("a", 3, "u2", 20),
      read("g1", 2, "b1", 5),
      read("g2", 2, "b1", 5),
    ],
    updates: [update("u1", 1, "done"), update("u2", 2, "unknown"), update("u3", 1, "refused")],
    batches: [
      { value: "b1", outcome: "done" },
      { value: "b2", outcome: "refused" },
    ],
    creates: [
      { value: "c1", ids: ["x", "x"] },
      { value: "c2", ids: [] },
    ],
  };
}

const stored: Final = {
  shared: [
    { id: "a", version: 3, value: "u2" },
    { id: "g1", version: 2, value: "b1" },
    { id: "g2", version: 2, value: "b1" },
  ],
  group: ["g1", "g2"],
  created: [{ id: "x", value: "c1" }],
};

function shared(id: string, version: number, value: string): Final {
  return { ...stored, shared: stored.shared.map((one) => (one.id === id ? { id, version, value } : one)) };
}

test("a sound history has no problems", () => {
  expect(check(sound(), stored)).toEqual([]);
});

test("an acknowledged update that is lost", () => {
  const history = { ...sound(), reads: [] };
  expect(check(history, shared("a", 2, "u2")).join()).toMatch(/u1 was acknowledged as version 2/);
  expect(check(history, shared("a", 1, "start")).join()).toMatch(/version 1 after 1 to/);
});

test("two values of one version", () => {
  const history = sound();
  history.reads.push(read("a", 2, "other", 30));
  expect(check(history, stored).join()).toMatch(/version 2 was u1 for one and other for another/);
});

test("a version older than one that was seen before", () => {
  const history = sound();
  history.reads.push(read("a", 2, "u1", 40));
  expect(check(history, stored).join()).toMatch(/version 2 was read after version 3/);
});

test("a refused update that is there, and a value from nowhere", () => {
  expect(check({ ...sound(), reads: [] }, shared("a", 3, "u3")).join()).toMatch(/u3 was refused/);
  expect(check({ ...sound(), reads: [] }, shared("a", 3, "ghost")).join()).toMatch(/ghost, which is stored/);
});

test("a write that was done twice", () => {
  expect(check(sound(), shared("a", 4, "u2")).join()).toMatch(/version 4 after 2 to 3 writes|more than once/);
});

test("a batch in part, and one that was refused", () => {
  expect(check({ ...sound(), reads: [] }, shared("g1", 3, "b2")).join()).toMatch(/the group differs/);
  expect(check({ ...sound(), reads: [] }, shared("g1", 3, "b2")).join()).toMatch(/b2 was refused/);
});

test("a create that is there twice, lost, or answered with two ids", () => {
  const twice = { ...stored, created: [...stored.created, { id: "y", value: "c1" }] };
  expect(check(sound(), twice).join()).toMatch(/c1 was created 2 times/);
  expect(check(sound(), { ...stored, created: [] }).join()).toMatch(/c1 was acknowledged as x/);
  const history = { ...sound(), creates: [{ value: "c1", ids: ["x", "y"] }] };
  expect(check(history, stored).join()).toMatch(/answered with ids x, y/);
});
