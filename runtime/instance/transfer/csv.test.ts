import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collection } from "../../documents/testing/shop.ts";
import { deletionFields, documentFields, field } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { type ProcessPlace, processPlace } from "../../store/testing/stores.ts";
import { withStore } from "../testing/stored.ts";
import { moduleOf } from "./testing/served.ts";
import { commandOf, kept, passingFolder } from "./testing/shop.ts";

const all = collection("all", {
  customId: { duplicateLimit: 2 },
  softDelete: {},
  validate: () => true,
  fields: {
    ...documentFields,
    ...deletionFields,
    title: field("title", ["string", "null"]),
    price: field("price", "number"),
    qty: field("qty", ["integer", "null"]),
    sold: field("sold", "boolean"),
    due_at: field("due_at", "date-time"),
    code: field("code", ["string", "integer"]),
    tags: field("tags", "string", ["tags"]),
    "lines.sku": field("lines.sku", "string", ["lines"]),
    address: field("address", "object"),
    "address.city": field("address.city", "string"),
    "address.zip": field("address.zip", "string"),
    extra: field("extra", "object"),
    any: field("any", []),
  },
});

const head =
  "id,title,price,qty,sold,due_at,code,tags,lines,address.city,address.zip,extra,any,_meta.created_at,_meta.updated_at,_meta.version,_meta.deleted_at,_meta.deleted_by,_meta.purge_at";

describe("CSV", () => {
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

  const module = () => moduleOf([all], place.realm);
  const path = (name: string) => join(folder.path, name);
  const command = (...words: readonly string[]) =>
    commandOf([module()], [...words, "--collection", "main/all", "--store", place.setting]);
  const fill = (documents: readonly DocumentWrite[]) =>
    withStore(place, module(), (store) => store.collection("main.all").load(documents));
  const imported = async (text: string | Buffer, ...words: readonly string[]) => {
    writeFileSync(path("in.csv"), text);
    const ended = await command("import", "--from", path("in.csv"), "--rejects", path("rejects"), ...words);
    const rejects = readFileSync(path("rejects"), "utf8").split("\n").slice(0, -1);
    return { ...ended, rejects: rejects.map((line): JsonObject => JSON.parse(line)) };
  };
  const stored = async () => {
    const { out } = await command("export", "--to", "-");
    return out
      .split("\n")
      .slice(0, -1)
      .map((line): JsonObject => JSON.parse(line));
  };

  const bodies: readonly JsonObject[] = [
    { title: 'a "b", c\r\nd', price: -1.5e30, qty: 3, sold: true, due_at: "2026-01-01T00:00:00.000Z" },
    { title: null, qty: null, sold: false, code: 7, tags: ["x", "y,z"], lines: [{ sku: "é😀" }] },
    {
      title: "null",
      code: "7",
      tags: [],
      address: { city: "Köln", zip: "01234" },
      extra: { a: { b: null } },
      any: "text",
    },
    { title: "", code: '"q"', extra: {}, any: [1] },
    { title: "true", any: null },
    {},
  ];

  it("export and import come to the same documents, types and all", async () => {
    await fill(
      bodies.map((body, n) =>
        kept(`d${n}`, body, n === 4 ? { version: 2, deletedAt: Date.UTC(2026, 3, 1) } : {}),
      ),
    );
    const before = (await command("export", "--to", "-", "--meta")).out;
    const written = await command("export", "--to", path("out.csv"), "--meta");
    expect(written).toMatchObject({ code: 0, err: expect.not.stringContaining("no column") });
    const csv = readFileSync(path("out.csv"), "utf8");
    expect(csv.slice(0, csv.indexOf("\r\n"))).toBe(head);
    await place.discard();
    expect(await imported(csv, "--meta")).toMatchObject({ code: 0, rejects: [] });
    const after = (await command("export", "--to", "-", "--meta")).out;
    const documents = (lines: string) =>
      lines
        .trim()
        .split("\n")
        .map((line): JsonObject => JSON.parse(line));
    expect(documents(after)).toEqual(documents(before));
  });

  it("takes a mark, line feeds alone, quoted line ends, columns in any order and spreadsheets' truth values", async () => {
    const { code } = await imported('\ufeffqty,id,title,sold\n1,a,"two\nlines",TRUE\n\n,b,,false\n');
    expect(code).toBe(0);
    expect(await stored()).toEqual([
      { id: "a", qty: 1, title: "two\nlines", sold: true },
      { id: "b", sold: false },
    ]);
  });

  it("rejects lines that are no records, each by its number", async () => {
    const text = Buffer.concat([
      Buffer.from('id,title\na,"x\ny"\nb\nc,ba"d\nd,"q"x\n'),
      Buffer.from([0x65, 0x2c, 0xff, 0x0a]),
      Buffer.from('_f,x\ng,ok\nh,"cut'),
    ]);
    const { code, rejects } = await imported(text);
    expect(code).toBe(1);
    expect(rejects).toEqual([
      { line: 4, id: null, error: "has 1 cells, and the head has 2" },
      { line: 5, id: null, error: "a quote stands in a cell that does not begin with one" },
      {
        line: 6,
        id: null,
        error: "a quote is closed, and something else than a comma or the end of the line follows",
      },
      { line: 7, id: null, error: "is not UTF-8" },
      { line: 8, id: "_f", error: expect.stringContaining("id must be 1 to 128 characters") },
      { line: 10, id: null, error: "a quote is not closed before the file ends: is it whole?" },
    ]);
    expect(await stored()).toEqual([
      { id: "a", title: "x\ny" },
      { id: "g", title: "ok" },
    ]);
  });

  it.each([
    ["id;title\n", "columns are separated by commas"],
    ["id,titel\n", "there is no field titel (did you mean"],
    ["id,id\n", "column id is there twice"],
    ["id,,title\n", "column 2 has no name"],
    ["id,extra,extra.a\n", "column extra.a lies in column extra"],
    [Buffer.from("\ufeffid\n", "utf16le"), "is not UTF-8, but UTF-16"],
    [`id,title\na,"${"x\n".repeat(200_000)}`, "is longer than 16 MiB; is a quote not closed?"],
  ])("a head that cannot be meant is refused: %#", async (text, message) => {
    expect(await imported(text)).toMatchObject({ code: 1, out: "", err: expect.stringContaining(message) });
  });

  it("an export says what no column holds", async () => {
    await fill([kept("a", { title: "x", mystery: 1 }), kept("b", { address: { street: "s" } })]);
    const { code, err } = await command("export", "--to", path("out.csv"));
    expect(code).toBe(1);
    expect(err).toContain("no column holds all of 2 documents, the first of a: mystery");
  });
});
