import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collectionOf, realmOf } from "../../templates/testing/models.ts";
import type { Realm } from "../model/model.ts";
import { emitOutput, emitRealm } from "../pipeline.ts";
import type { RulesStage } from "../rules/compiled.ts";
import type { EmittedRealm, Plan } from "./plan.ts";
import { readOutput } from "./read.ts";
import { applyDifference, compareOutput, type Difference } from "./write.ts";

const noRules: RulesStage = {
  collections: new Map(),
  functions: new Map(),
  migrations: new Map(),
  diagnostics: [],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function realm(
  name: string,
  collections: readonly string[],
  further: Partial<Realm> = {},
): Promise<EmittedRealm> {
  const made = collections.map((each) => collectionOf(name, "db", each));
  return emitRealm({ realm: realmOf(name, made, further), rules: noRules });
}

async function plan(realms: readonly EmittedRealm[], partial = false): Promise<Plan> {
  return emitOutput(realms, { compiler: "1.0.0", previous: await readOutput(folder), partial });
}

async function apply(realms: readonly EmittedRealm[], partial = false): Promise<Difference> {
  const wanted = await plan(realms, partial);
  const difference = await compareOutput(folder, wanted);
  await applyDifference(folder, difference);
  expect(await compareOutput(folder, await plan(realms, partial))).toMatchObject({ changed: [], stale: [] });
  return difference;
}

function tree(): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

describe("output folder", () => {
  test("holds every planned file, and the manifest names each realm's with their hashes", async () => {
    await apply([await realm("a", ["x"]), await realm("b", ["y"])]);
    const manifest = (await readOutput(folder))?.manifest;
    const outputs = Object.values(manifest?.realms ?? {}).flatMap((each) => Object.keys(each.outputs));
    expect(tree()).toEqual([...outputs, "configuration.json", "manifest.json", "server.ts"].sort());
    expect(manifest?.compiler).toBe("1.0.0");
    expect(read("server.ts")).toContain("fingerprint: manifest.fingerprint");
  });

  test("what has not changed is not written again", async () => {
    await apply([await realm("a", ["x", "y"])]);
    const before = statSync(join(folder, "a/db/x/routes.ts")).mtimeMs;
    const { changed } = await apply([await realm("a", ["x", "y"], { openapi: "off" })]);
    expect(changed.map(({ path }) => path)).toEqual([
      "a/effective.json",
      "a/openapi.json",
      "a/realm.ts",
      "manifest.json",
    ]);
    expect(statSync(join(folder, "a/db/x/routes.ts")).mtimeMs).toBe(before);
  });

  test("files of ours that are wanted no longer go, with folders that they leave empty; others stay", async () => {
    await apply([await realm("a", ["x", "y"]), await realm("b", ["z"])]);
    writeFileSync(join(folder, "a/db/y/notes.txt"), "mine");
    const { stale } = await apply([await realm("a", ["x"])]);
    expect(stale).toContain("b/db/z/routes.ts");
    expect(tree().filter((path) => path.startsWith("b/") || path.startsWith("a/db/y/"))).toEqual([
      "a/db/y/notes.txt",
    ]);
    expect(readdirSync(folder)).not.toContain("b");
  });

  test("files of ours that no manifest knows go by their first line; others without one are named, and stay", async () => {
    await apply([await realm("a", ["x"])]);
    const known = tree();
    const left = read("a/db/x/routes.ts");
    mkdirSync(join(folder, "z/db/y"), { recursive: true });
    writeFileSync(join(folder, "z/db/y/routes.ts"), left);
    writeFileSync(join(folder, "z/db/y/routes.js"), left.replace("Do not edit.", "Do edit."));
    writeFileSync(join(folder, "z/openapi.json"), "{}");
    writeFileSync(join(folder, ".gitattributes"), "* linguist-generated");
    mkdirSync(join(folder, "dist"));
    writeFileSync(join(folder, "dist/package.json"), "{}");
    writeFileSync(join(folder, "dist/server.mjs"), left);
    const { stale, foreign } = await apply([await realm("a", ["x"])]);
    expect(stale).toEqual(["z/db/y/routes.ts"]);
    expect(foreign).toEqual(["z/db/y/routes.js", "z/openapi.json"]);
    const others = [".gitattributes", "dist/package.json", "dist/server.mjs"];
    expect(tree()).toEqual([...known, ...foreign, ...others].sort());
  });

  test("one realm alone: what no manifest knows may be another's", async () => {
    await apply([await realm("a", ["x"]), await realm("b", ["y"])]);
    rmSync(join(folder, "manifest.json"));
    const before = tree();
    expect(await apply([await realm("a", ["x"])], true)).toMatchObject({ stale: [], foreign: [] });
    expect(tree()).toEqual([...before, "manifest.json"].sort());
  });

  test("one realm alone: the others' files, server.ts and manifest entries stay", async () => {
    await apply([await realm("a", ["x"]), await realm("b", ["y"])]);
    const before = (await readOutput(folder))?.manifest;
    await apply([await realm("a", ["x", "x2"])], true);
    const after = (await readOutput(folder))?.manifest;
    expect(after?.realms["b"]).toEqual(before?.realms["b"]);
    expect(Object.keys(after?.realms["a"]?.outputs ?? {})).toContain("a/db/x2/routes.ts");
    expect(read("server.ts")).toContain("realms: [a, b]");
    expect(tree()).toContain("b/db/y/routes.ts");
  });

  test("what one realm alone gives is what all give together", async () => {
    await apply([await realm("a", ["x"]), await realm("b", ["y"])]);
    const together = tree().map(read);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await apply([await realm("b", ["y"])], true);
    await apply([await realm("a", ["x"])], true);
    expect(tree().map(read)).toEqual(together);
  });

  test("the fingerprint depends on what the inputs mean, not on what is emitted", async () => {
    const inputs = [{ path: "a/realm.yaml", meaning: "1".repeat(64), value: {} }];
    const first = await plan([await realm("a", ["x"], { inputs })]);
    const same = await plan([await realm("a", ["other"], { inputs })]);
    const other = await plan([
      await realm("a", ["x"], { inputs: [{ path: "a/realm.yaml", meaning: "2".repeat(64), value: {} }] }),
    ]);
    expect(same.manifest.fingerprint).toBe(first.manifest.fingerprint);
    expect(other.manifest.fingerprint).not.toBe(first.manifest.fingerprint);
  });

  test("edited, missing and left-over files are differences", async () => {
    await apply([await realm("a", ["x"])]);
    writeFileSync(join(folder, "a/db/x/routes.ts"), "edited");
    rmSync(join(folder, "a/db/x/fields.ts"));
    const { changed, stale } = await compareOutput(folder, await plan([await realm("a", ["x"])]));
    expect(changed.map(({ path }) => path)).toEqual(["a/db/x/fields.ts", "a/db/x/routes.ts"]);
    expect(stale).toEqual([]);
  });

  test("a crash between two files is mended by the next run", async () => {
    const wanted = await plan([await realm("a", ["x"])]);
    const difference = await compareOutput(folder, wanted);
    await applyDifference(folder, { changed: difference.changed.slice(0, 2), stale: [] });
    writeFileSync(join(folder, "manifest.json.new"), "{");
    await apply([await realm("a", ["x"])]);
    expect(tree()).not.toContain("manifest.json.new");
  });

  test("a manifest that cannot be read counts as none, and one from elsewhere removes nothing outside", async () => {
    writeFileSync(join(folder, "manifest.json"), "{ not JSON");
    expect(await readOutput(folder)).toBeUndefined();
    const outside = join(folder, "..", `${folder.split("/").at(-1)}.txt`);
    writeFileSync(outside, "mine");
    const entry = { fingerprint: "", inputs: {}, outputs: { [`../${outside.split("/").at(-1)}`]: "" } };
    writeFileSync(
      join(folder, "manifest.json"),
      JSON.stringify({ compiler: "1", fingerprint: "", realms: { z: entry } }),
    );
    await apply([await realm("a", ["x"])]);
    expect(readFileSync(outside, "utf8")).toBe("mine");
    rmSync(outside);
  });
});
