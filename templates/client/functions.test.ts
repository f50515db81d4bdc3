/** `call` of clients: where it is, and which realms have it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { analyse } from "../../compiler/pipeline.ts";
import { clientFile } from "./file.ts";

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

/** The client of a realm without accounts. @param functions their function.yaml by `<database>/<name>` */
async function clientOf(functions: Readonly<Record<string, string>>, standalone = false): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), "realmc-client-"));
  const files = Object.entries(functions).map(([name, yaml]) => {
    const [database = "", fn = ""] = name.split("/");
    return [`shop/${database}/_func/${fn}/function.yaml`, yaml] as const;
  });
  for (const [path, text] of [["shop/realm.yaml", "auth: disabled"] as const, ...files]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { realms, diagnostics } = await analyse(folder, { handlers: "none" });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const [analysed] = realms;
  if (analysed === undefined) throw new Error("no realm");
  return (await clientFile(analysed.realm, ["not_found"], { standalone })).text;
}

test("calls are at `call`, by database and name; what takes nothing and says nothing of its output is typed so", async () => {
  const text = await clientOf({ "sales/line-up": "mode: call", "sales/hook": "mode: webhook" });
  expect(text).toContain("readonly call: CallsOf<Calls>;");
  expect(text).toContain('"line-up": callable(connected, "sales", "line-up")');
  expect(text).toMatch(/"line-up": \{\s+input: Record<string, never>;\s+output: unknown;/);
  expect(text).not.toContain("hook:");
});

test("where a database is called `call`, they are at `$call`", async () => {
  expect(await clientOf({ "call/ping": "mode: call" })).toContain("readonly $call: CallsOf<Calls>;");
});

test("realms whose functions nobody calls have none of it", async () => {
  const text = await clientOf({ "sales/hook": "mode: webhook" });
  expect(text).not.toMatch(/callable|CallsOf|\bcall\b:/);
});

test("a client that imports nothing holds what calls are made of", async () => {
  const text = await clientOf({ "sales/ping": "mode: call\nidempotency: required" }, true);
  expect(text).toContain("class QueuedCall<Output>");
  expect(text).not.toMatch(/^import /m);
});
