import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collection } from "../../documents/testing/shop.ts";
import { field } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import { answering, plain, type Served, serve } from "./testing/served.ts";
import { filesIn, kept, passingFolder } from "./testing/shop.ts";

const owner = field("owner", "string");
const chosen = collection("chosen", {
  customId: { duplicateLimit: 2 },
  softDelete: {},
  references: { up: { database: "main", collection: "chosen", field: owner, key: "id", many: false } },
});
const parts = collection("parts", {
  references: { of: { database: "main", collection: "chosen", field: owner, key: "id", many: false } },
});
const ofChosen = ["--collection", "main/chosen"];

describe("import --url", () => {
  let served: Served;
  let folder: ReturnType<typeof passingFolder>;
  beforeEach(async () => {
    folder = passingFolder();
    served = await serve([chosen, parts]);
  });
  afterEach(async () => {
    await served.stop();
    folder.discard();
  });

  const at = (name: string) => join(folder.path, name);
  const file = (name: string, ...lines: readonly (string | JsonObject)[]) => {
    const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    writeFileSync(at(name), texts.map((text) => `${text}\n`).join(""));
  };
  const words = (name: string, ...more: readonly string[]) => [
    ...["import", "--from", at(name), "--rejects", at("rejects")],
    ...more,
  ];
  const imported = (name: string, ...more: readonly string[]) => served.command(words(name, ...more));
  const rejected = () =>
    readFileSync(at("rejects"), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line): JsonObject => JSON.parse(line));
  const stored = async (...more: readonly string[]) =>
    (await served.command(["export", "--to", "-", ...ofChosen, ...more])).out;

  /** The server behind what answers a request otherwise, or loses its answer; told how many there were. */
  const through = (meddle: (request: number) => "answer" | "lose" | "refuse" | "busy") => {
    let requests = 0;
    return answering(async (request, response) => {
      requests += 1;
      const what = meddle(requests);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (what === "busy") return void response.writeHead(503, { "retry-after": "0" }).end();
      if (what === "refuse") return void response.writeHead(401).end("{}");
      const { authorization = "" } = request.headers;
      const answer = await fetch(`${served.shop.url}${request.url}`, {
        ...{ method: "POST", body: Buffer.concat(chunks) },
        headers: { authorization, "content-type": "application/json" },
      });
      const text = await answer.text();
      if (what === "lose") return void request.socket.destroy();
      response.writeHead(answer.status).end(text);
    });
  };

  it("creates what fits, and rejects the rest by line, as import --store does", async () => {
    file(
      "chosen.ndjson",
      { id: "a", title: "one" },
      "",
      { id: "b", title: "", qty: "many" },
      '{"title":',
      { id: "c", title: "three", "x.y": 1 },
      { id: "a", title: "again" },
      '{"id":"d","title":"d","qty":9007199254740993}',
      { id: "e", title: "e" },
    );
    const { code, out, err } = await imported("chosen.ndjson", ...ofChosen);
    expect({ code, out }).toEqual({ code: 1, out: "shop main/chosen: 2 created, 0 replaced, 5 rejected\n" });
    expect(rejected()).toEqual([
      { line: 3, id: "b", error: "title must have at least 1 character; qty must be integer" },
      { line: 4, id: null, error: "is no JSON object: it cannot be parsed at line 1, column 10" },
      { line: 5, id: "c", error: expect.stringContaining("member names must not") },
      { line: 6, id: "a", error: "a document with this id exists" },
      { line: 7, id: "d", error: expect.stringContaining("qty") },
    ]);
    expect(err).toContain("shop main/chosen line 3 (id b): title must have");
    expect(await stored()).toBe('{"id":"a","title":"one"}\n{"id":"e","title":"e"}\n');
    // Of an import that has ended nothing is kept: the same command begins anew.
    expect((await imported("chosen.ndjson", ...ofChosen)).out).toContain("0 created, 0 replaced, 7 rejected");
    expect(err).not.toContain(served.key);
  });

  it("--mode replace and merge, CSV, and two of one id in one file", async () => {
    await served.shop.stored(chosen).load([kept("a", { title: "old", qty: 1 })]);
    writeFileSync(at("chosen.csv"), "id,title,qty\r\na,,2\r\nb,new,\r\n");
    const merged = await imported("chosen.csv", ...ofChosen, "--mode", "merge");
    expect(merged).toMatchObject({ code: 0, out: expect.stringContaining("1 created, 1 replaced") });
    file("again.ndjson", { id: "b", title: "1" }, { id: "b", title: "2" });
    const replaced = await imported("again.ndjson", ...ofChosen, "--mode", "replace");
    expect(replaced).toMatchObject({ code: 0, out: expect.stringContaining("0 created, 2 replaced") });
    expect(await stored()).toBe('{"id":"a","title":"old","qty":2}\n{"id":"b","title":"2"}\n');
    expect(JSON.parse((await stored("--meta")).split("\n")[0] ?? "")._meta).toMatchObject({
      ...{ version: 2, updated_by: "key:admin" },
    });
  });

  it("--meta: an export, imported through another server, is the same to the byte", async () => {
    const documents = Array.from({ length: 40 }, (_, n) =>
      kept(
        `d${100 + n}`,
        { title: `é${n}` },
        n % 7 === 3 ? { version: 2, deletedAt: Date.UTC(2026, 3) } : {},
      ),
    );
    await served.shop.stored(chosen).load(documents);
    await served.command(["export", "--to", at("first"), "--meta"]);
    const other = await serve([chosen, parts]);
    try {
      const { code, out } = await other.command(words("first", "--meta", "--batch", "7"));
      expect([code, out]).toEqual([
        0,
        "shop main/chosen: 40 created, 0 replaced, 0 rejected\nshop main/parts: 0 created, 0 replaced, 0 rejected\n",
      ]);
      await other.command(["export", "--to", at("second"), "--meta"]);
    } finally {
      await other.stop();
    }
    const lines = (name: string) => filesIn(at(name))["shop/main/chosen.ndjson"];
    expect(lines("second")).toBe(lines("first"));
  });

  it("references lead to what the server has, or to what comes later in the import", async () => {
    file("chosen.ndjson", { id: "b", title: "b", owner: "z" }, { id: "y", title: "y", owner: "lost" });
    file("chosen-z.ndjson", { id: "b", title: "b", owner: "z" }, { id: "z", title: "z" });
    expect((await imported("chosen.ndjson", ...ofChosen)).out).toContain("0 created, 0 replaced, 2 rejected");
    expect(rejected()[0]).toEqual({
      ...{ line: 1, id: "b" },
      error: 'owner: there is no document of main/chosen whose id is "z"',
    });
    expect(await imported("chosen-z.ndjson", ...ofChosen, "--batch", "1")).toMatchObject({ code: 0 });
    file("parts.ndjson", { title: "p", owner: "z" });
    expect(await imported("parts.ndjson", "--collection", "main/parts")).toMatchObject({ code: 0 });
  });

  const many = Array.from({ length: 60 }, (_, n) => ({
    id: `m${100 + n}`,
    title: n % 10 === 7 ? "" : `${n}`,
  }));
  const fitting = many.filter(({ title }) => title !== "").map((each) => `${JSON.stringify(each)}\n`);
  const refused = many.filter(({ title }) => title === "").map(({ id }) => id);

  it("an answer that is lost is asked for again, and nothing is written twice", async () => {
    file("chosen.ndjson", ...many);
    const flaky = await through((n) => (n === 2 || n === 5 ? "lose" : n === 3 ? "busy" : "answer"));
    try {
      const ended = await served.command(words("chosen.ndjson", ...ofChosen, "--batch", "20"), flaky.url);
      expect(ended).toMatchObject({ code: 1, out: "shop main/chosen: 54 created, 0 replaced, 6 rejected\n" });
    } finally {
      await flaky.stop();
    }
    expect(rejected().map(({ id }) => id)).toEqual(refused);
    expect(await stored()).toBe(fitting.join(""));
    const audited = (await served.shop.audit()).filter(({ action }) => action === "data.import");
    expect(audited.map(({ details }) => details["created"])).toEqual([18, 18, 18]);
  });

  it.each([
    ["before the server did it", "refuse"],
    ["after the server did it", "lose"],
  ] as const)("a command that ended in the middle is gone on with: %s", async (_, how) => {
    file("chosen.ndjson", ...many);
    // The first request asks how far it is, the third has lines 21 to 40; no later one is let in.
    const flaky = await through((n) => (n === 3 ? how : n > 3 ? "refuse" : "answer"));
    const command = words("chosen.ndjson", ...ofChosen, "--batch", "20");
    const ended = await served.command(command, flaky.url);
    await flaky.stop();
    expect(ended).toMatchObject({ code: 3, out: "", err: expect.stringContaining("REALMC_KEY must be") });
    // What a killed process may have left.
    writeFileSync(at("rejects"), '{"line":21,"id"', { flag: "a" });
    const { code, out, err } = await served.command(command);
    expect([code, out]).toEqual([1, "shop main/chosen: 54 created, 0 replaced, 6 rejected\n"]);
    expect(err).toContain(`shop main/chosen: goes on after line ${how === "lose" ? 40 : 20}`);
    expect(rejected().map(({ id }) => id)).toEqual(refused);
    expect(rejected().map(({ line }) => line)).toEqual([8, 18, 28, 38, 48, 58]);
    expect(await stored()).toBe(fitting.join(""));
  });

  it("another file of the same name is not gone on with", async () => {
    file("chosen.ndjson", ...many);
    const flaky = await through((n) => (n > 2 ? "refuse" : "answer"));
    const command = words("chosen.ndjson", ...ofChosen, "--batch", "20");
    await served.command(command, flaky.url);
    await flaky.stop();
    file("chosen.ndjson", ...many.slice(1));
    expect(await served.command(command)).toMatchObject({
      ...{ code: 1, out: "" },
      err: expect.stringContaining("is not what the import began with that was interrupted after line 20"),
    });
    const merged = await served.command([...command, "--mode", "merge"]);
    expect(merged.err).toContain("another import was interrupted after line 20; it is not gone on with");
    expect(merged.out).toContain("36 created, 17 replaced, 6 rejected");
  });

  it("a document that no request takes is rejected, and the rest goes in smaller requests", async () => {
    const small = await serve([chosen, parts], { settings: { maxBodyBytes: 4_096 } });
    const long = { id: "long", title: "x", extra: { text: "y".repeat(5_000) } };
    const some = many.slice(0, 7).map((each) => ({ ...each, extra: { text: "z".repeat(900) } }));
    file("chosen.ndjson", ...some.slice(0, 3), long, ...some.slice(3));
    try {
      const { code, out } = await small.command(words("chosen.ndjson", ...ofChosen));
      expect([code, out]).toEqual([1, "shop main/chosen: 7 created, 0 replaced, 1 rejected\n"]);
    } finally {
      await small.stop();
    }
    expect(rejected()).toEqual([{ line: 4, id: null, error: "is larger than what the server takes" }]);
  });

  it("exit 3 where nobody is there, or the key may not change data; the key is not printed", async () => {
    file("chosen.ndjson", ...many);
    const command = words("chosen.ndjson", ...ofChosen);
    const gone = await answering(() => undefined);
    await gone.stop();
    expect(await served.command(command, gone.url)).toMatchObject({
      code: 3,
      err: expect.stringContaining("cannot be reached: ECONNREFUSED"),
    });
    const reader = await served.shop.key({ name: "reader", admin: ["users"] });
    for (const key of [reader, "sk_nothing"]) {
      const ended = await served.command(command, undefined, key);
      expect(ended).toMatchObject({ code: 3, err: expect.stringContaining("REALMC_KEY must be the key of") });
      expect(ended.err).not.toContain(key);
    }
    expect(await stored()).toBe("");
  });

  it("a collection that the server has not is named", async () => {
    const other = await serve([plain]);
    file("chosen.ndjson", ...many);
    const ended = await served.command(words("chosen.ndjson", ...ofChosen), other.shop.url, other.key);
    await other.stop();
    expect(ended).toMatchObject({
      code: 3,
      err: expect.stringContaining("it has no such collection, or is older than this command"),
    });
  });
});
