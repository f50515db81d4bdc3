/** What is emitted of functions: `testdata/generated`, which the project's own type check goes through. UPDATE_GOLDEN=1 writes it anew. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { analyse, emitRealm } from "../../compiler/pipeline.ts";
import type { EmittedFile } from "../print/code.ts";

const testdata = fileURLToPath(new URL("testdata", import.meta.url));
const generated = join(testdata, "generated");

/** What functions bring into the output, and what that is made of. */
const ofFunctions = /\/_func\/|\/functions\.ts$|\/types\.ts$|\/client\.ts$/;

let all: readonly EmittedFile[];
let files: readonly EmittedFile[];
beforeAll(async () => {
  const { realms, diagnostics } = await analyse(join(testdata, "config"));
  expect(diagnostics).toEqual([]);
  const emitted = await Promise.all(realms.map((realm) => emitRealm(realm)));
  all = emitted.flatMap((realm) => realm.files);
  files = all.filter(({ path }) => ofFunctions.test(path));
  if (process.env["UPDATE_GOLDEN"] === undefined) return;
  rmSync(generated, { recursive: true, force: true });
  for (const { path, text } of files) {
    mkdirSync(dirname(join(generated, path)), { recursive: true });
    writeFileSync(join(generated, path), text);
  }
});

function textOf(path: string): string {
  return all.find((file) => file.path === path)?.text ?? "";
}

test("realm.ts has the definitions, their routes and the limits of all of them together", () => {
  const realm = textOf("shop/realm.ts");
  expect(realm).toContain(`import { paymentNotice } from "./sales/_func/payment-notice/function.ts";`);
  expect(realm).toContain("functionLimits: { concurrency: 32, rate: { limit: 600, period: 60_000 } },");
  expect(realm).toContain("functions: [close, delete_, paymentNotice, watch],");
  expect(realm).toContain(`functionRoutes("shop", [close, delete_, paymentNotice, watch]),`);
});

test("effective.json has their settings in the terms of function.yaml, with defaults", () => {
  const { realm, functions } = JSON.parse(textOf("shop/effective.json"));
  expect(realm.functions).toEqual({ concurrency: 32, rate: "600/m" });
  expect(functions["sales/delete"]).toEqual({
    mode: "call",
    invoke: false,
    input: false,
    output: false,
    idempotency: "optional",
    retry: { attempts: 5 },
    timeout: "10s",
    memory: "128MiB",
    concurrency: 8,
    scopes: { read: ["sales"], write: ["sales"] },
    secrets: [],
    network: [],
    mail: false,
  });
  expect(functions["sales/watch"]).toMatchObject({
    mode: "event",
    triggers: [
      { collection: "sales/orders", on: ["create", "update"], when: "expression", ordered: true },
      { collection: "catalog/line-items", on: ["delete"], when: "expression", ordered: false },
      { collection: "sales/orders", on: ["delete"], when: true, ordered: true },
    ],
    schedule: { cron: "0 3 * * *", timezone: "Europe/Berlin" },
    retry: { attempts: 5 },
  });
});

test("is what the golden files hold, and no other file", () => {
  const found = readdirSync(generated, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(generated.length + 1));
  expect(files.map(({ path }) => path).sort()).toEqual(found.sort());
  for (const { path, text } of files) expect(text).toBe(readFileSync(join(generated, path), "utf8"));
});
