import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../../scripts/program.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../../store/testing/stores.ts";
import { startRealm } from "../testing/servers.ts";
import { withStore } from "../testing/stored.ts";
import { commandOf, dataModule, filesIn, kept, passingFolder, sha256 } from "./testing/shop.ts";

const script = await programOf("runtime/instance/transfer/testing/fixture-export.ts");

const items = [
  kept("b", { sku: "B", price: 2, title: "Printers on fire", z: 1, a: { c: [1.5, null], d: "é😀\n" } }),
  kept("a", { sku: "A", price: 1.25 }, { version: 3 }),
  kept("d", { sku: "A" }, { version: 2, deletedAt: Date.UTC(2026, 3, 1) }),
  kept("c", JSON.parse('{"price":3,"__proto__":1,"_meta":{}}')),
];
const [b = kept("", {}), a = kept("", {}), d = kept("", {}), c = kept("", {})] = items;

describe("export", () => {
  let place: ProcessPlace;
  let folder: ReturnType<typeof passingFolder>;
  beforeEach(() => {
    place = processPlace();
    folder = passingFolder();
  });
  afterEach(async () => {
    folder.discard();
    await place.discard();
  });

  const module = () => dataModule(place.realm);
  const fill = (documents: readonly DocumentWrite[] = items) =>
    withStore(place, module(), async (store) => {
      await store.collection("main.items").load(documents);
      await store.collection("main.notes").load([kept("n", { text: "x" })]);
    });
  const exported = (...words: readonly string[]) =>
    commandOf([module()], ["export", "--store", place.setting, ...words]);
  const ofItems = ["--collection", "main/items"];
  const withoutMeta = ({ text }: DocumentWrite) => `${text.slice(0, text.lastIndexOf(',"_meta":'))}}\n`;

  it("writes live documents without _meta into a file for each collection, sorted by id, with hashes", async () => {
    await fill();
    const to = join(folder.path, "out");
    const { code, out } = await exported("--to", to);
    const lines = [a, b, c].map(withoutMeta).join("");
    const notes = '{"id":"n","text":"x"}\n';
    const { "export.json": catalog = "", ...files } = filesIn(to);
    const { realm } = place;
    expect(files).toEqual({ [`${realm}/main/items.ndjson`]: lines, [`${realm}/main/notes.ndjson`]: notes });
    expect(JSON.parse(catalog)).toMatchObject({
      fingerprint: "f",
      finished_at: expect.any(String),
      files: [
        {
          ...{ path: `${realm}/main/items.ndjson`, realm, collection: "main/items", documents: 3 },
          ...{ bytes: Buffer.byteLength(lines), sha256: sha256(lines) },
        },
        { collection: "main/notes", documents: 1, sha256: sha256(notes) },
      ],
    });
    expect({ code, out }).toEqual({
      code: 0,
      out: `${realm} main/items: 3 documents, sha256 ${sha256(lines)}\n${realm} main/notes: 1 documents, sha256 ${sha256(notes)}\n`,
    });
  });

  it("--meta writes what is stored to the byte, deleted documents too", async () => {
    await fill();
    const { code, out, err } = await exported("--to", "-", ...ofItems, "--meta");
    const lines = [a, b, c, d].map(({ text }) => `${text}\n`).join("");
    expect({ code, out }).toEqual({ code: 0, out: lines });
    expect(err).toContain(`${place.realm} main/items: 4 documents, sha256 ${sha256(lines)}\n`);
  });

  it("--where takes the API's language, without an index", async () => {
    await fill();
    const { out } = await exported("--to", "-", ...ofItems, "--where", '{"price":{"$gt":1.5}}');
    expect(out).toBe(withoutMeta(b) + withoutMeta(c));
  });

  it("one collection goes into one file, which is there whole or not at all", async () => {
    await fill();
    const to = join(folder.path, "items.ndjson");
    writeFileSync(`${to}.part`, "what another run has left");
    const { code, out } = await exported("--to", to, ...ofItems, "--format", "json");
    expect(code).toBe(0);
    expect(filesIn(folder.path)).toEqual({ "items.ndjson": [a, b, c].map(withoutMeta).join("") });
    expect(JSON.parse(out)).toMatchObject({ files: [{ path: to, documents: 3 }] });
  });

  it("reads beside a running server, and changes nothing for it", async () => {
    await fill();
    const server = await startRealm(module(), { settings: { store: place.location } });
    try {
      await server
        .store(place.realm)
        .collection("main.items")
        .insert(kept("e", { sku: "E" }));
      const { code, out } = await exported("--to", "-", ...ofItems);
      expect([code, out.trimEnd().split("\n").length]).toEqual([0, 4]);
      const other = { ...module(), definition: { ...module().definition, collections: [] } };
      expect(await commandOf([other], ["export", "--store", place.setting, "--to", "-"])).toMatchObject({
        code: 2,
      });
      await server
        .store(place.realm)
        .collection("main.items")
        .insert(kept("f", { sku: "F" }));
    } finally {
      await server.stop();
    }
  });

  it("a collection that was never made is empty; a realm that was never stored is told", async () => {
    await fill();
    const { definition, ...rest } = module();
    const [first] = definition.collections;
    const collections = first === undefined ? [] : [...definition.collections, { ...first, name: "new" }];
    const grown = { ...rest, definition: { ...definition, collections } };
    const words = ["export", "--store", place.setting, "--to", "-", "--collection", "main/new"];
    expect(await commandOf([grown], words)).toMatchObject({ code: 0, out: "" });
    const stranger = dataModule(`${place.realm}x`);
    const nothing = await commandOf([stranger], [...words.slice(0, -1), "main/items"]);
    expect(nothing).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("there is nothing of it"),
    });
  });

  describe("into a folder, interrupted", () => {
    const many = Array.from({ length: 2_500 }, (_, n) => kept(`i${10_000 + n}`, { sku: `${n}` }));
    const whole = many.map(({ text }) => `${text}\n`).join("");
    const part = () => join(folder.path, "out", place.realm, "main/items.ndjson.part");

    /** Until a batch has been written, and not further. */
    async function killed(): Promise<void> {
      const words = [script, place.realm, place.setting, join(folder.path, "out")];
      const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(child, "exit");
      await once(child.stdout, "data");
      child.kill("SIGKILL");
      await ended;
    }

    it("by kill -9, the same command goes on after the last whole line", async () => {
      await fill(many);
      await killed();
      expect(statSync(part()).size).toBeGreaterThan(0);
      expect(statSync(part()).size).toBeLessThan(whole.length);
      appendFileSync(part(), '{"id":"half a li');
      const { code, err } = await exported("--to", join(folder.path, "out"), "--meta");
      expect([code, err]).toEqual([0, expect.stringMatching(/main\/items: goes on after 1000 documents/)]);
      const { "export.json": catalog = "", ...files } = filesIn(join(folder.path, "out"));
      expect(files[`${place.realm}/main/items.ndjson`]).toBe(whole);
      expect(JSON.parse(catalog)).toMatchObject({
        files: [{ documents: 2_500, sha256: sha256(whole) }, { documents: 1 }],
      });
    });

    it("other options are not what it began with, and a finished export is left alone", async () => {
      await fill(many);
      await killed();
      const to = ["--to", join(folder.path, "out")];
      expect(await exported(...to)).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          "holds an export that was interrupted, of another configuration or with",
        ),
      });
      expect(await exported(...to, "--meta")).toMatchObject({ code: 0 });
      expect(await exported(...to, "--meta")).toMatchObject({
        code: 2,
        err: expect.stringContaining("holds an export, finished at 20"),
      });
    });

    it("a finished file that is not what it was is written anew", async () => {
      await fill();
      const to = join(folder.path, "out");
      await exported("--to", to);
      const path = join(to, "export.json");
      const { finished_at, ...unfinished } = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify(unfinished));
      const notes = join(to, place.realm, "main/notes.ndjson");
      writeFileSync(notes, '{"id":"n","text":"y"}\n');
      expect(await exported("--to", to)).toMatchObject({ code: 0 });
      expect(readFileSync(notes, "utf8")).toBe('{"id":"n","text":"x"}\n');
      expect(finished_at).toEqual(expect.any(String));
    });
  });

  it("a wrong command line is 2", async () => {
    await fill();
    const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
      [["--to", "-"], "--to is for one collection: name it with --collection, or name a folder"],
      [["--to", "out", "--where", "{}"], "--where is for one collection"],
      [["--to", "-", "--collection", "main/item"], "there is no collection main/item (did you mean"],
      [["--to", "items.yaml", ...ofItems], "not one of .yaml"],
      [["--to", "-", ...ofItems, "--where", '{"prize":1}'], "--where: where.prize unknown field"],
      [["--to", "-", ...ofItems, "--where", "{"], "--where: where must be a JSON object"],
      [["--to", "-", ...ofItems, "--where", '{"$search":"x"}'], "where.$search is not available here"],
      [["--to", "-", ...ofItems, "--format", "xml"], "--format takes text, json, not xml"],
      [[], "--to is missing"],
    ];
    for (const [words, message] of wrong)
      expect(await exported(...words), words.join(" ")).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      });
  });

  it("a folder with anything else in it is refused, and left as it is", async () => {
    await fill();
    writeFileSync(join(folder.path, "mine.txt"), "mine");
    expect(await exported("--to", folder.path)).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not empty, and what is in it is no export"),
    });
    expect(filesIn(folder.path)).toEqual({ "mine.txt": "mine" });
  });

  it.runIf(isEmbedded)("a store that is not there is 2, one that cannot be reached 3", async () => {
    const words = ["export", "--to", "-", ...ofItems, "--store"];
    expect(await commandOf([module()], [...words, `sqlite:${folder.path}/none`])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--store: there is no folder"),
    });
    const uri = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200";
    expect(await commandOf([module()], [...words, "env:DB"], { DB: uri })).toMatchObject({ code: 3 });
  });
});
