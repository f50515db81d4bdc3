/** What test files that share a worker may not leave behind is seen. */
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { startedRealms } from "../../runtime/instance/testing/started.ts";
import { traces } from "./traces.ts";

const ignore = () => undefined;
const { fetch } = globalThis;
const home = process.cwd();

it.each<[string, () => unknown, () => unknown]>([
  ["a folder", () => process.chdir(tmpdir()), () => process.chdir(home)],
  ["a variable", () => Object.assign(process.env, { LEFT: "1" }), () => delete process.env["LEFT"]],
  [
    "a global",
    () => Object.assign(globalThis, { left: 1 }),
    () => Reflect.deleteProperty(globalThis, "left"),
  ],
  [
    "a function in place of another",
    () => Object.assign(globalThis, { fetch: ignore }),
    () => Object.assign(globalThis, { fetch }),
  ],
  ["a signal's listener", () => process.on("SIGHUP", ignore), () => process.off("SIGHUP", ignore)],
  ["a server", () => startedRealms.set("http://left", []), () => startedRealms.delete("http://left")],
])("%s", (_, leave, tidy) => {
  const before = traces();
  leave();
  expect(traces()).not.toEqual(before);
  tidy();
  expect(traces()).toEqual(before);
});
