import { expect, test } from "vitest";
import { Processes } from "./processes.ts";

test("a server that ends before it is ready is reported at once, with what it wrote to stderr", async () => {
  const processes = new Processes(
    ["--eval", `console.error("no such store"); process.exit(3);`],
    process.env,
  );
  await expect(processes.start(1)).rejects.toThrow(/exit code 3\): no such store/);
});
