/** What was built before holds against a read rule that goes with its field: `build`, `build --check`, `check --against`. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accounts, writeRealm } from "../diff/testing/case.ts";
import { ruled } from "../diff/testing/rule-cases.ts";
import { type BuildOptions, build } from "./build.ts";
import { check } from "./check.ts";
import { UsageError } from "./exit.ts";
import { createTerminal } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-retired-"));
const output = join(folder, "generated");

beforeAll(async () => {
  const fields = (entry: string): string => `rules: { read: true }\nfields: { salary: ${entry} }\n`;
  writeRealm(join(folder, "hiding/desk"), ruled(fields("{ read: hasRole('lead') }")));
  writeRealm(join(folder, "published/desk"), ruled(fields("{ retired: published }")));
  writeRealm(join(folder, "leaking/desk"), ruled("rules: { read: true }\n"));
  expect(await built("hiding")).toEqual([0, expect.anything()]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Said = readonly [code: number, text: string];

async function said(run: (terminal: ReturnType<typeof createTerminal>) => Promise<number>): Promise<Said> {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) };
  const code = await run(createTerminal({ stdout: stream, stderr: stream, environment: { NO_COLOR: "1" } }));
  return [code, lines.join("")];
}

const built = (config: string, options: Partial<BuildOptions> = {}): Promise<Said> =>
  said((terminal) => build(join(folder, config), { out: output, ...options }, terminal));
const checked = (config: string, against?: string): Promise<Said> =>
  said((terminal) =>
    check(
      join(folder, config),
      { format: "text", ...(against === undefined ? {} : { against }) },
      terminal,
      {},
    ),
  );

/** Another collection in place of the one of a sketch. */
const other = { "db/notes/schema.json": null, "db/other/schema.json": '{ "type": "object" }' };
const refusal = "desk/db/notes/collection.yaml:1:1 error retired-field-readable 'salary' was hidden";

test("build refuses again and again, and writes nothing; a folder that is new tells of nothing", async () => {
  const manifest = (): string => readFileSync(join(output, "manifest.json"), "utf8");
  const before = manifest();
  const bundle = join(folder, "dist");
  for (const options of [{}, {}, { check: true as const }, { realm: "desk" }, { bundle }])
    expect(await built("leaking", options)).toEqual([1, expect.stringContaining(refusal)]);
  expect([manifest(), existsSync(bundle)]).toEqual([before, false]);
  expect((await built("leaking", { out: join(folder, "fresh") }))[0]).toBe(0);
});

test("check --against an output folder; without one it does not know", async () => {
  expect(await checked("leaking", output)).toEqual([1, expect.stringContaining(refusal)]);
  for (const config of ["hiding", "published"]) expect((await checked(config, output))[0]).toBe(0);
  expect((await checked("leaking"))[0]).toBe(0);
  const none = checked("leaking", join(folder, "leaking"));
  await expect(none).rejects.toThrow(UsageError);
  await expect(none).rejects.toThrow("holds no output of realmc build");
});

test("what hid fields of a collection that was removed counts when it comes back, in builds and checks", async () => {
  const out = join(folder, "removed");
  cpSync(output, out, { recursive: true });
  writeRealm(join(folder, "without/desk"), { realm: accounts, files: other });
  for (const _ of ["removed", "built once more", "and again"])
    expect((await built("without", { out }))[0]).toBe(0);
  expect(await built("without", { out, check: true })).toEqual([0, expect.stringContaining("up to date")]);
  expect(await built("leaking", { out })).toEqual([1, expect.stringContaining(refusal)]);
  expect(await checked("leaking", out)).toEqual([1, expect.stringContaining(refusal)]);
  const recorded = (): string => readFileSync(join(out, "configuration.json"), "utf8");
  expect(recorded()).toContain('"retired"');
  expect((await built("hiding", { out }))[0]).toBe(0);
  expect(recorded()).not.toContain('"retired"');
});

test("a collection of a realm that was removed, too", async () => {
  const out = join(folder, "realm-removed");
  cpSync(output, out, { recursive: true });
  writeRealm(join(folder, "elsewhere/shop"), { files: other });
  expect((await built("elsewhere", { out }))[0]).toBe(0);
  expect(await built("leaking", { out })).toEqual([1, expect.stringContaining(refusal)]);
  expect((await built("published", { out }))[0]).toBe(0);
  expect((await built("leaking", { out }))[0]).toBe(0);
});

test("outputs whose manifest has the configuration, as it once was, are read, and built anew without it", async () => {
  const out = join(folder, "older");
  cpSync(output, out, { recursive: true });
  const [manifest, configuration] = [join(out, "manifest.json"), join(out, "configuration.json")];
  const now = readFileSync(manifest, "utf8");
  const { realms } = JSON.parse(readFileSync(configuration, "utf8"));
  const older = JSON.parse(now);
  older.realms.desk.configuration = realms.desk;
  older.retired = { "desk/db/gone/collection.yaml": { fields: { salary: { read: "hasRole('lead')" } } } };
  writeFileSync(manifest, JSON.stringify(older));
  rmSync(configuration);
  expect(await built("leaking", { out })).toEqual([1, expect.stringContaining(refusal)]);
  expect(await checked("leaking", out)).toEqual([1, expect.stringContaining(refusal)]);
  expect((await built("hiding", { out }))[0]).toBe(0);
  expect(readFileSync(manifest, "utf8")).toBe(now);
  expect(JSON.parse(readFileSync(configuration, "utf8"))).toEqual({ realms, retired: older.retired });
});

test("retired: published says that it is meant, and need not be said for ever", async () => {
  const out = join(folder, "meant");
  cpSync(output, out, { recursive: true });
  expect((await built("published", { out }))[0]).toBe(0);
  expect(readFileSync(join(out, "desk/db/notes/rules.ts"), "utf8")).not.toContain("fieldRules");
  expect((await built("leaking", { out }))[0]).toBe(0);
});
