import { afterAll, beforeEach } from "vitest";
import { divergenceOf } from "./divergences.ts";
import { closeTestClient } from "./server.ts";

/** Of every test file of the project `mongodb`. */
beforeEach(({ task, skip }) => {
  const reason = divergenceOf(task.fullTestName);
  if (reason !== undefined) skip(reason);
});
afterAll(closeTestClient);
