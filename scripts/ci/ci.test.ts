/** What continuous integration runs, beside what, and when it is red. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../runtime/testing/until.ts";
import { Script } from "./testing/script.ts";

let script: Script;
beforeEach(() => {
  script = new Script();
  // Those side by side end only when both have begun.
  script.mark("types", "waits", "test:mongo");
  script.mark("test:mongo", "waits", "types");
});
afterEach(() => script.remove());

const whole = (name: string, uri = "") => [`${name} begins, MongoDB: ${uri}`, `${name} ends`];
const installed = whole("ci", "mongodb://named");
const all = [
  ...installed,
  ...whole("types", "mongodb://named"),
  ...whole("lint", "mongodb://named"),
  ...whole("stale", "mongodb://named"),
  ...whole("test"),
  ...whole("test:mongo", "mongodb://named"),
  ...whole("test:product"),
];

it("runs the quick checks first, then the tests, those on MongoDB beside all of it, and prints each whole", async () => {
  expect(await script.run()).toMatchObject({ code: 0, said: all });
});

it("runs the tests of the product when the others are done, beside those on MongoDB", async () => {
  script.mark("test:mongo", "waits", "test:product");
  expect(await script.run()).toMatchObject({ code: 0, said: all });
});

it.each([
  ["types", "types"],
  ["lint", "lint"],
  ["stale", "stale output"],
  ["test", "tests"],
  ["test:mongo", "tests on MongoDB"],
  ["test:product", "tests of the product"],
])("is red where %s is, and runs all others to their end", async (name, part) => {
  script.mark(name, "fails");
  const { code, said, text } = await script.run();
  expect({ code, said }).toEqual({ code: 1, said: all });
  expect(text).toMatch(new RegExp(`^  ${part} +0:\\d\\d  red$`, "m"));
});

it("is red, and goes no further, where packages cannot be installed", async () => {
  script.mark("ci", "fails");
  expect(await script.run()).toMatchObject({ code: 1, said: installed });
});

it("starts servers of its own, one for each worker, and stops them", async () => {
  const variables = { MONGODB_URI: "", MONGO_TESTBED_PORT: "40", MONGO_TESTBED_COUNT: "3" };
  const { code, said } = await script.run(variables);
  expect(code).toBe(0);
  expect(said).toContain("test:mongo begins, MongoDB: mongodb://40 mongodb://43 mongodb://46");
  for (const port of ["40", "43", "46"]) {
    expect([script.has(port, "started"), script.has(port, "stopped")]).toEqual([true, true]);
  }
});

it("says at its end why the tests were not run on MongoDB, and is green without them", async () => {
  script.mark("types", "waits", "types");
  script.mark("40", "fails");
  const { code, said, text } = await script.run({ MONGODB_URI: "", MONGO_TESTBED_PORT: "40" });
  expect({ code, begun: script.has("test:mongo", "begun") }).toEqual({ code: 0, begun: false });
  expect(said.at(-1)).toBe("test:product ends");
  expect(text).toMatch(/^ {2}tests on MongoDB +- {2}not run: \S+start failed on port 40$/m);
  expect(script.has("40", "stopped")).toBe(true);
});

it("ends all that it started when it is ended, and stops its servers", async () => {
  script.mark("types", "hangs");
  script.mark("test:mongo", "hangs");
  script.begin({ MONGODB_URI: "", MONGO_TESTBED_PORT: "40" });
  const hanging = () => ["types", "test:mongo"].map((name) => script.has(name, "hanging"));
  await until(() => expect(hanging()).toEqual([true, true]));
  script.terminate();
  expect(await script.ended()).toMatchObject({ code: 143 });
  expect(["types", "test:mongo"].map((name) => script.has(name, "ended"))).toEqual([true, true]);
  expect(["40", "43"].map((port) => script.has(port, "stopped"))).toEqual([true, true]);
  expect(script.has("lint", "begun")).toBe(false);
});

it("ends the installation when it is ended", async () => {
  script.mark("ci", "hangs");
  script.begin();
  await until(() => expect(script.has("ci", "hanging")).toBe(true));
  script.terminate();
  expect(await script.ended()).toMatchObject({ code: 143, said: [installed[0]] });
  await until(() => expect(script.has("ci", "ended")).toBe(true));
});
