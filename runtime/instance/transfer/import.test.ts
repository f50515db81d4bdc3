import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collection, fields } from "../../documents/testing/shop.ts";
import { field } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import { writeOrganization } from "../../organizations/records.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../../store/testing/stores.ts";
import { organizationsModule } from "../testing/fixture-organizations.ts";
import { startRealm } from "../testing/servers.ts";
import { withStore } from "../testing/stored.ts";
import { moduleOf } from "./testing/served.ts";
import { commandOf, kept, passingFolder } from "./testing/shop.ts";

const parent = field("owner", "string");
const unique = (name: "slug") => ({ name, keys: [{ field: fields[name], descending: false }], unique: true });
const things = collection("things", {
  softDelete: {},
  indexes: [unique("slug")],
  normalizeDates: (document) => {
    const { due_at: due } = document;
    if (typeof due === "string") document["due_at"] = new Date(due).toISOString();
    return [];
  },
});
const chosen = collection("chosen", {
  customId: { duplicateLimit: 2, pattern: /^[a-z]+$/ },
  references: { up: { database: "main", collection: "chosen", field: parent, key: "id", many: false } },
});
const parts = collection("parts", {
  references: { of: { database: "main", collection: "chosen", field: parent, key: "id", many: false } },
});
const owned = collection("owned", { organization: { required: true, teams: "optional", onDelete: "keep" } });

const idOf = (n: number) => `${"0".repeat(16)}${1_000 + n}`;

describe("import --store", () => {
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

  const module = () => moduleOf([things, chosen, parts], place.realm);
  const command = (...words: readonly string[]) => commandOf([module()], words);
  const into = ["--store"];
  const imported = (name: string, ...words: readonly string[]) =>
    command("import", ...into, place.setting, "--from", join(folder.path, name), ...words);
  const file = (name: string, ...lines: readonly (string | JsonObject)[]) => {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    writeFileSync(join(folder.path, name), texts.map((text) => `${text}\n`).join(""));
  };
  const stored = async (name: string, ...words: readonly string[]) => {
    const { out } = await command(
      "export",
      "--store",
      place.setting,
      "--to",
      "-",
      "--collection",
      `main/${name}`,
      ...words,
    );
    return out
      .split("\n")
      .slice(0, -1)
      .map((line): JsonObject => JSON.parse(line));
  };
  const rejected = () =>
    readFileSync(join(folder.path, "rejects"), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line): JsonObject => JSON.parse(line));
  const ofThings = ["--collection", "main/things"];
  const rejects = () => ["--rejects", join(folder.path, "rejects")];

  it("creates what fits, with dates in their stored form and ids kept or made, and rejects the rest by line", async () => {
    file(
      "things.ndjson",
      { id: idOf(1), title: "one", due_at: "2026-01-01T00:00:00+02:00" },
      { title: "made" },
      "",
      { id: idOf(2), title: "", qty: "many" },
      { id: "mine", title: "x" },
      '{"title":',
      "[]",
      { id: idOf(1), title: "again" },
      { id: idOf(3), title: "three", slug: "s" },
      { id: idOf(4), title: "four", slug: "s" },
      '{"title":"\\u0000"}',
    );
    appendFileSync(join(folder.path, "things.ndjson"), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a]));
    appendFileSync(join(folder.path, "things.ndjson"), '{"title":"cut o');
    const { code, out, err } = await imported("things.ndjson", ...ofThings, ...rejects());
    expect({ code, out }).toEqual({
      code: 1,
      out: `${place.realm} main/things: 3 created, 0 replaced, 9 rejected\n`,
    });
    expect(rejected()).toEqual([
      { line: 4, id: idOf(2), error: "title must have at least 1 character; qty must be integer" },
      { line: 5, id: "mine", error: expect.stringContaining("id must have the form of a generated one") },
      { line: 6, id: null, error: "is no JSON object: it cannot be parsed at line 1, column 10" },
      { line: 7, id: null, error: "is no JSON object: it is not an object" },
      { line: 8, id: idOf(1), error: "a document with this id exists" },
      { line: 10, id: idOf(4), error: "slug must be unique" },
      { line: 11, id: null, error: "is no JSON object: a string holds NUL" },
      { line: 12, id: null, error: "is no JSON object: it is not UTF-8" },
      { line: 13, id: null, error: expect.stringContaining("the file ends in it, without an end of line") },
    ]);
    expect(err).toContain(`main/things line 10 (id ${idOf(4)}): slug must be unique`);
    const documents = await stored("things", "--meta");
    expect(documents).toMatchObject([
      { id: idOf(1), title: "one", due_at: "2025-12-31T22:00:00.000Z", _meta: { version: 1 } },
      { id: idOf(3), title: "three" },
      { id: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{20}$/), title: "made" },
    ]);
    expect(await imported("things.ndjson", ...ofThings)).toMatchObject({
      code: 1,
      out: expect.stringContaining("1 created, 0 replaced, 11 rejected"),
    });
  });

  it("a batch of any size comes to the same", async () => {
    const lines = Array.from({ length: 40 }, (_, n) => ({ id: idOf(n), title: "t", slug: `${n % 7}` }));
    file("things.ndjson", ...lines);
    for (const batch of ["1", "3", "1000"]) {
      const { out } = await imported("things.ndjson", ...ofThings, "--batch", batch, ...rejects());
      if (batch === "1") expect(out).toContain("7 created, 0 replaced, 33 rejected");
      else expect(out).toContain("0 created, 0 replaced, 40 rejected");
    }
    await place.discard();
    expect((await imported("things.ndjson", ...ofThings)).out).toContain(
      "7 created, 0 replaced, 33 rejected",
    );
    expect((await stored("things")).map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6].map(idOf));
  });

  it("--mode replace and merge, each document's next version; a deleted one is left", async () => {
    await withStore(place, module(), async (store) => {
      await store
        .collection("main.things")
        .load([
          kept(idOf(1), { title: "one", qty: 1 }),
          kept(idOf(2), { title: "two" }, { version: 2, deletedAt: Date.UTC(2026, 3, 1) }),
        ]);
    });
    file(
      "things.ndjson",
      { id: idOf(1), qty: 2, slug: null },
      { id: idOf(2), title: "x" },
      { id: idOf(3), title: "new" },
    );
    const merged = await imported("things.ndjson", ...ofThings, "--mode", "merge", ...rejects());
    expect(merged).toMatchObject({
      code: 1,
      out: expect.stringContaining("1 created, 1 replaced, 1 rejected"),
    });
    expect(rejected()).toEqual([{ line: 2, id: idOf(2), error: "a deleted document has this id" }]);
    file("again.ndjson", { id: idOf(1), title: "1" }, { id: idOf(1), title: "1b" });
    expect(await imported("again.ndjson", ...ofThings, "--mode", "replace")).toMatchObject({ code: 0 });
    expect(await stored("things", "--meta")).toMatchObject([
      { id: idOf(1), title: "1b", _meta: { version: 4, created_at: "2026-03-01T10:00:00.000Z" } },
      { id: idOf(2), title: "two" },
      { id: idOf(3), title: "new", _meta: { version: 1 } },
    ]);
    expect((await stored("things"))[0]).toEqual({ id: idOf(1), title: "1b" });
  });

  it("--meta keeps versions, times and deleted documents to the byte: an export of it is the same", async () => {
    const documents = [
      kept(idOf(1), { title: "é😀\n", qty: 1 }, { version: 7 }),
      kept(idOf(2), { title: "gone" }, { version: 2, deletedAt: Date.UTC(2026, 3, 1) }),
      { id: idOf(3), version: 0, createdAt: 0, text: `{"id":"${idOf(3)}","title":"old"}` },
    ];
    await withStore(place, module(), (store) => store.collection("main.things").load(documents));
    const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
    const exported = (to: string) => command("export", "--store", place.setting, "--to", to, "--meta");
    await exported(first);
    await place.discard();
    expect(await imported("first", "--meta")).toMatchObject({ code: 0 });
    await exported(second);
    const hashes = (at: string) => JSON.parse(readFileSync(join(at, "export.json"), "utf8")).files;
    expect(hashes(second)).toEqual(hashes(first));
    expect(hashes(second)[0]).toMatchObject({ collection: "main/things", documents: 3 });
    const bad = { created_at: "today", version: 0, owner: "u", more: 1 };
    file(
      "bad.ndjson",
      { id: idOf(9), title: "x", _meta: bad },
      { ...JSON.parse(documents[1]?.text ?? ""), id: idOf(8) },
    );
    await imported("bad.ndjson", ...ofThings, "--meta", ...rejects());
    expect(rejected()).toMatchObject([
      { line: 1, error: expect.stringContaining("_meta.created_at must be a time in UTC") },
    ]);
    expect(rejected()[0]?.["error"]).toMatch(
      /_meta\.version must be an integer from 1; _meta\.owner .*; _meta\.more is not allowed/,
    );
    file("deleted.ndjson", { ...JSON.parse(documents[1]?.text ?? ""), id: idOf(7) });
    await imported("deleted.ndjson", ...ofThings, ...rejects());
    expect(rejected()).toMatchObject([
      { line: 1, error: "is deleted: deleted documents are imported with their _meta (--meta, meta: true)" },
    ]);
  });

  it("references must lead to a document of the store or of the import, whatever the order", async () => {
    file("in/a.txt", "not looked at");
    const at = (name: string) => `data/${place.realm}/main/${name}.ndjson`;
    file(
      at("chosen"),
      { id: "b", title: "b", owner: "z" },
      { id: "z", title: "z" },
      { id: "c", title: "c", owner: "nobody" },
    );
    file(at("parts"), { title: "p", owner: "b" }, { title: "q", owner: "lost" });
    const { code, out } = await imported("data", ...rejects());
    expect({ code, out }).toEqual({
      code: 1,
      out: `${place.realm} main/chosen: 2 created, 0 replaced, 1 rejected\n${place.realm} main/parts: 1 created, 0 replaced, 1 rejected\n`,
    });
    const named = { realm: place.realm };
    expect(rejected()).toEqual([
      {
        line: 3,
        id: "c",
        error: 'owner: there is no document of main/chosen whose id is "nobody"',
        ...named,
        collection: "main/chosen",
      },
      {
        line: 2,
        id: expect.any(String),
        error: 'owner: there is no document of main/chosen whose id is "lost"',
        ...named,
        collection: "main/parts",
      },
    ]);
    file("bad.ndjson", { title: "x" }, { id: "NO", title: "x" }, { id: "_x", title: "x" });
    await imported("bad.ndjson", "--collection", "main/chosen", ...rejects());
    expect(rejected().map(({ error }) => error)).toEqual([
      expect.stringContaining("id is required"),
      "id does not match the collection's pattern",
      expect.stringContaining("id must be 1 to 128 characters"),
    ]);
  });

  it("a document of the import that schema, ids or _meta reject is no target, in its own collection and in circles", async () => {
    const circle = collection("circle", {
      customId: { duplicateLimit: 2, pattern: /^[a-z]+$/ },
      references: { to: { database: "main", collection: "ring", field: parent, key: "id", many: false } },
    });
    const ring = collection("ring", {
      customId: { duplicateLimit: 2, pattern: /^[a-z]+$/ },
      references: { to: { database: "main", collection: "circle", field: parent, key: "id", many: false } },
    });
    const at = (name: string) => `data/${place.realm}/main/${name}.ndjson`;
    file(
      at("chosen"),
      ...[
        { id: "a", title: "a", owner: "b" },
        { id: "c", title: "c", owner: "WRONG" },
        { id: "WRONG", title: "w" },
        { id: "d", title: "d", owner: "e" },
        { id: "e", title: "e", _meta: { org: 7 } },
        { id: "b", title: "b", owner: "a" },
      ],
    );
    file(at("circle"), { id: "x", title: "x", owner: "y" }, { id: "v", title: "v", owner: "NO" });
    file(at("ring"), { id: "y", title: "y", owner: "x" }, { id: "NO", title: "n", owner: "x" });
    const { code } = await commandOf(
      [moduleOf([chosen, circle, ring], place.realm)],
      ["import", ...into, place.setting, "--from", join(folder.path, "data"), "--meta", ...rejects()],
    );
    expect(code).toBe(1);
    const told = rejected().map(({ collection: path, line, id }) => [path, line, id]);
    expect(told.sort()).toEqual([
      ["main/chosen", 2, "c"],
      ["main/chosen", 3, "WRONG"],
      ["main/chosen", 4, "d"],
      ["main/chosen", 5, "e"],
      ["main/circle", 2, "v"],
      ["main/ring", 2, "NO"],
    ]);
  });

  it("organizations and teams must exist, and where the collection asks for one it is needed", async () => {
    const org = {
      id: idOf(1),
      name: "Acme",
      slug: "acme",
      slug_key: "acme",
      status: "active",
      require_mfa: false,
      claims: {},
      teams: [{ id: idOf(2), name: "Desk", roles: [] }],
      created_at: "2026-01-01T00:00:00.000Z",
      created_by: "u",
      deleted_at: null,
      cleanup: null,
    } as const;
    const { accounts } = organizationsModule(place.realm).definition;
    if (accounts === undefined) throw new Error("it has accounts");
    const withOrgs = moduleOf([owned], place.realm, { accounts });
    await withStore(place, withOrgs, (store) =>
      store.collection("_svc.orgs").load([writeOrganization(org, 1)]),
    );
    file(
      "owned.ndjson",
      { title: "a", _meta: { org: org.id } },
      { title: "b", _meta: { org: org.id, team: idOf(2) } },
      { title: "c" },
      { title: "d", _meta: { org: idOf(5) } },
      { title: "e", _meta: { org: org.id, team: idOf(6) } },
    );
    const words = [
      "import",
      "--store",
      place.setting,
      "--from",
      join(folder.path, "owned.ndjson"),
      "--collection",
      "main/owned",
    ];
    expect(await commandOf([withOrgs], [...words, ...rejects()])).toMatchObject({ code: 1 });
    expect(rejected().map(({ line, error }) => [line, error])).toEqual([
      [3, "_meta.org is required: documents here belong to an organization"],
      [4, `_meta.org: there is no organization ${idOf(5)}`],
      [5, `_meta.team: the organization has no team ${idOf(6)}`],
    ]);
    const { out } = await commandOf(
      [withOrgs],
      ["export", "--store", place.setting, "--to", "-", "--collection", "main/owned", "--meta"],
    );
    const by = { owner: null, created_by: "key:import", updated_by: "key:import" };
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)._meta),
    ).toMatchObject([
      { org: org.id, ...by },
      { org: org.id, team: idOf(2), ...by },
    ]);
  });

  it("what is no input at all is named, and nothing is written", async () => {
    writeFileSync(join(folder.path, "utf16.ndjson"), Buffer.from("\ufeff{}", "utf16le"));
    writeFileSync(join(folder.path, "gz.ndjson"), Buffer.from([0x1f, 0x8b, 8]));
    file("array.ndjson", "[{}]");
    for (const [name, message] of [
      ["utf16", "is not UTF-8, but UTF-16"],
      ["gz", "is compressed: unpack it first"],
      ["array", "holds an array; one document a line is needed"],
    ] as const) {
      const ended = await imported(`${name}.ndjson`, ...ofThings);
      expect(ended).toMatchObject({ code: 1, out: "", err: expect.stringContaining(message) });
    }
  });

  it("a line longer than any document is rejected in bounded memory, and the next one is taken", async () => {
    file("things.ndjson", `{"title":"${"x".repeat(17 * 1024 ** 2)}"}`, { id: idOf(1), title: "next" });
    const { code } = await imported("things.ndjson", ...ofThings, ...rejects());
    expect([code, rejected()]).toEqual([1, [{ line: 1, id: null, error: "the line is longer than 16 MiB" }]]);
    expect(await stored("things")).toHaveLength(1);
  });

  it("a folder whose export is not whole, or that has files of unknown collections, is refused", async () => {
    await withStore(place, module(), (store) =>
      store.collection("main.things").load([kept(idOf(1), { title: "x" })]),
    );
    const out = join(folder.path, "out");
    await command("export", "--store", place.setting, "--to", out);
    const path = join(out, place.realm, "main/things.ndjson");
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -5));
    expect(await imported("out")).toMatchObject({
      code: 1,
      err: expect.stringContaining("and the export wrote"),
    });
    file(`other/${place.realm}/main/thing.ndjson`, {});
    expect(await imported("other")).toMatchObject({ code: 2, err: expect.stringContaining("did you mean") });
  });

  it.runIf(isEmbedded)("an embedded store that a server serves is left alone: exit 3", async () => {
    const server = await startRealm(module(), { settings: { store: place.location } });
    file("things.ndjson", { title: "x" });
    const ended = await imported("things.ndjson", ...ofThings);
    await server.stop();
    expect(ended).toMatchObject({ code: 3, out: "" });
  });

  it.each([
    [["--from", "x.ndjson"], "--store is missing, or --url"],
    [
      ["--store", "sqlite:s", "--from", "none.ndjson", "--collection", "main/things"],
      "there is no file none.ndjson",
    ],
    [["--store", "sqlite:s", "--from", "-"], "name it with --collection"],
    [
      ["--store", "sqlite:s", "--from", "-", "--collection", "main/things", "--mode", "add"],
      "--mode takes create, replace, merge",
    ],
    [
      ["--store", "sqlite:s", "--from", "-", "--collection", "main/things", "--batch", "0"],
      "--batch takes 1 to 10000",
    ],
  ])("a wrong command line is 2: %j", async (words, message) => {
    expect(await command("import", ...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });
});
