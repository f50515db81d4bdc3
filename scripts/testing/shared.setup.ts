/**
 * The files of a worker share its process and the modules that they import, which spares each of them seconds. So a file
 * leaves both as it found them: the one that does not fails itself, not the ones that come after it.
 */
import { afterAll, expect, vi } from "vitest";
import { traces } from "./traces.ts";

const found = traces();
afterAll(() => expect(traces(), "what this file left behind in its worker").toEqual(found));

const refused = () => {
  throw new Error(
    "modules are shared with other test files: what a test replaces is given as an option, as clocks are",
  );
};
Object.assign(vi, { mock: refused, doMock: refused, resetModules: refused });
