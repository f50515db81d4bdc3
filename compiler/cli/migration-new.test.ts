import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isJsonObject, objectIn } from "../../runtime/json.ts";
import { commandsIn } from "./testing/commands.ts";

let folder = "";
let realmc: ReturnType<typeof commandsIn>;

const text = { type: "string" };
const tickets = "config/desk/support/tickets";
const address = { type: "object", properties: { city: text } };
const before = { title: text, address: { $ref: "../../_shared/address.json" } };
const after = { ...before, priority: { type: "integer" } };

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
}

function writeSchema(properties: object, required: readonly string[] = []): void {
  write(`${tickets}/schema.json`, { type: "object", properties, required });
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** What of the configuration's record says that documents may be in an earlier form. */
function unmigrated(): readonly string[] {
  const kept = objectIn(read("generated/configuration.json"))?.unmigrated;
  return isJsonObject(kept) ? Object.keys(kept) : [];
}

/** Builds; answers the codes of what is said. */
async function built(...words: readonly string[]): Promise<readonly string[]> {
  const { stderr } = await realmc("build", "config", ...words);
  return [...stderr.matchAll(/^\S+:\d+:\d+ (?:error|warning) (\S+)/gm)].map(([, code = ""]) => code);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-migration-new-"));
  realmc = commandsIn(folder);
  write("config/desk/realm.yaml", "auth: disabled\n");
  write("config/desk/_shared/address.json", address);
  writeSchema(before);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("realmc migration new", () => {
  test("writes what is to be filled in, typed by the schema before the change, and that schema as it was", async () => {
    expect(await built()).toEqual([]);
    writeSchema(after, ["priority"]);
    write("config/desk/_shared/address.json", {
      ...address,
      properties: { city: { ...text, maxLength: 40 } },
    });
    expect(await built()).toEqual(["migration-missing"]);
    const { status, stdout } = await realmc("migration", "new", "desk/support/tickets", "priority");
    expect(status).toBe(0);
    const stem = `${tickets}/_migrations/0001-priority`;
    expect(stdout).toBe(`${stem}.ts\n${stem}.from.json\n`);
    expect(objectIn(read(`${stem}.from.json`))).toEqual({
      type: "object",
      properties: { title: text, address: { $ref: "#/$defs/address" } },
      required: [],
      $defs: { address },
    });
    expect(read(`${stem}.ts`)).toContain("//   priority: the field is new and required\n");
    // It says nothing yet of the field that is new.
    expect(await built()).toEqual(expect.arrayContaining(["handler-type"]));
    write(`${stem}.ts`, read(`${stem}.ts`).replace("{ ...document }", "{ ...document, priority: 3 }"));
    expect(await built()).toEqual([]);
    expect(unmigrated()).toEqual([]);
  });

  test("--yaml: steps; the number is the next one after all that there are", async () => {
    write(`${tickets}/_migrations/0006-first.yaml`, "- drop: { field: legacy }\n");
    await built();
    writeSchema(after, ["priority"]);
    const { status } = await realmc("migration", "new", "desk/support/tickets", "priority", "--yaml");
    expect(status).toBe(0);
    const path = `${tickets}/_migrations/0007-priority.yaml`;
    expect(await built()).toContain("empty-file");
    write(path, `${read(path)}- default: { field: priority, value: 3 }\n`);
    expect(await built()).toEqual([]);
  });

  test("--old: the former configuration, or another output", async () => {
    await built("--out", "former");
    write("old/desk/realm.yaml", "auth: disabled\n");
    write("old/desk/support/tickets/schema.json", { type: "object", properties: { subject: text } });
    writeSchema(after, ["priority"]);
    const made = (old: string, name: string) =>
      realmc("migration", "new", "desk/support/tickets", name, "--old", old);
    expect((await made("former", "one")).status).toBe(0);
    expect(read(`${tickets}/_migrations/0001-one.from.json`)).toContain('"title"');
    expect((await made("old", "two")).status).toBe(0);
    expect(read(`${tickets}/_migrations/0002-two.from.json`)).toContain('"subject"');
  });

  test.each<[string, readonly string[], string]>([
    ["no collection", ["desk/support", "a"], "write <realm>/<database>/<collection>"],
    ["an unknown collection", ["desk/support/ticket", "a"], "did you mean 'desk/support/tickets'?"],
    ["an unknown realm", ["desc/support/tickets", "a"], "desc"],
    ["a name that is none", ["desk/support/tickets", "Split Name"], "'Split Name' is no name of a migration"],
    ["a path as a name", ["desk/support/tickets", "../up"], "'../up' is no name of a migration"],
    ["nothing built before", ["desk/support/tickets", "a", "--old", "nowhere"], "--old names"],
    ["no configuration", ["desk/support/tickets", "a", "nowhere"], "there is no folder nowhere"],
  ])("%s: exit 2, and nothing is written", async (_, words, said) => {
    await built();
    const { status, stderr, stdout } = await realmc("migration", "new", ...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(said);
    expect(readdirSync(join(folder, tickets))).toEqual(["schema.json"]);
  });

  test("a collection that was not there: exit 2", async () => {
    await built();
    write("config/desk/support/notes/schema.json", { type: "object" });
    const { status, stderr } = await realmc("migration", "new", "desk/support/notes", "a");
    expect([status, stderr.includes("generated knows no collection desk/support/notes")]).toEqual([2, true]);
  });
});

describe("the warning that a migration is missing", () => {
  test("is told by every build until there is one, or the schema takes again what it took", async () => {
    await built();
    writeSchema(after, ["priority"]);
    expect(await built()).toEqual(["migration-missing"]);
    expect(await built()).toEqual(["migration-missing"]);
    expect(unmigrated()).toEqual(["desk/support/tickets/schema.json"]);
    writeSchema(after);
    expect(await built()).toEqual([]);
    expect(unmigrated()).toEqual([]);
  });

  test("stays while only another realm is built", async () => {
    write("config/shop/realm.yaml", "auth: disabled\n");
    write("config/shop/sales/orders/schema.json", { type: "object" });
    await built();
    writeSchema(after, ["priority"]);
    expect(await built()).toEqual(["migration-missing"]);
    expect(await built("--realm", "shop")).toEqual([]);
    expect(unmigrated()).toEqual(["desk/support/tickets/schema.json"]);
    expect(await built("--realm", "desk")).toEqual(["migration-missing"]);
  });

  test("realmc check tells it against an output", async () => {
    await built();
    writeSchema(after, ["priority"]);
    const { status, stdout } = await realmc("check", "config", "--against", "generated");
    expect(status).toBe(0);
    expect(stdout).toContain("warning migration-missing documents of support/tickets may not fit any longer");
    expect(stdout).toContain("hint: realmc migration new desk/support/tickets <name>");
    expect((await realmc("check", "config")).stdout).not.toContain("migration-missing");
  });
});
