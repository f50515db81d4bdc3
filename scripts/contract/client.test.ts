import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../workspace.ts";
import { clientModules } from "./client.ts";

const folder = join(root, "runtime/client/contracted");

// UPDATE_GOLDEN=1 prints them anew.
test("the clients' methods for fixed routes are those of the contracts", () => {
  const printed = clientModules();
  if (process.env["UPDATE_GOLDEN"]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [name, text] of printed) writeFileSync(join(folder, name), text);
  }
  const kept = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  expect(Object.fromEntries(kept)).toEqual(Object.fromEntries(printed));
});
