/** That every feature is tried on MongoDB, whatever files come and go. */
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { conversations, features, testsIn, testsOfStores } from "./mongodb.ts";

const all = features.flatMap(testsIn);

it("each conversation is there", () => {
  expect(conversations.filter((path) => !all.includes(path))).toEqual([]);
});

it("a test that deals with the store itself runs on MongoDB without being named", () => {
  const own = testsOfStores();
  expect(own).toContain("runtime/documents/round-trips.test.ts");
  expect(own).toContain("runtime/instance/many-instances.test.ts");
  expect(conversations.filter((path) => own.includes(path))).toEqual([]);
});

it("every part of a feature has a test on MongoDB", () => {
  const tried = new Set([...conversations, ...testsOfStores()].map(dirname));
  expect([...new Set(all.map(dirname))].filter((folder) => !tried.has(folder))).toEqual([]);
});
