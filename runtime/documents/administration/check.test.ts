import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dateNormalizer } from "../../filter/dates.ts";
import { documentFields, field } from "../../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { denied } from "../../rules/index.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { until } from "../../testing/until.ts";
import { code, collection, type Received, type Shop, startShop, validatorOf } from "../testing/shop.ts";

const at = "2026-01-01T00:00:00.000Z";
const schema: JsonObject = {
  type: "object",
  properties: { title: { type: "string" }, due: { type: "string" } },
  required: ["title"],
  additionalProperties: false,
};
const settings = {
  fields: { ...documentFields, title: field("title", "string") },
  rules: { read: denied },
  softDelete: {},
  validate: validatorOf(schema),
};
const some = collection("some", {
  ...settings,
  normalizeDates: dateNormalizer(field("due", "date-time")),
});
const many = collection("many", settings);
const none = collection("none", settings);
const long = collection("long", { ...settings, validate: validatorOf({ ...schema, required: [] }) });
const endless = collection("endless", settings);

let shop: Shop;
let key: string;
beforeAll(async () => {
  shop = await startShop("enabled", [some, many, none, long, endless]);
  key = await shop.key({ name: "admin", admin: ["data"] });
});
afterAll(() => shop.stop());

const check = (name: string, query = "", token = key): Promise<Received> =>
  shop.send("POST", `../_admin/data/main/${name}/_check${query}`, { token });

/** A document as an older schema let it be stored. */
function older(id: string, members: JsonObject, deleted = false): DocumentWrite {
  const createdAt = shop.clock.now();
  const marks = deleted ? { deleted_at: at, deleted_by: "user:x" } : {};
  const _meta = { created_at: at, updated_at: at, version: 1, ...marks };
  const text = JSON.stringify({ id, ...members, _meta });
  return { id, version: 1, text, createdAt, ...(deleted && { deletedAt: createdAt }) };
}

describe("Administrator routes: _check", () => {
  test("Administrator routes: _check counts and names documents that no longer fit, deleted ones too", async () => {
    const stored = [
      older("a", { title: "fits" }),
      older("b", { title: 1, more: true }),
      older("c", {}, true),
      older("d", { title: "fits" }, true),
      older("e", { title: "fits", due: "some day" }),
      older("f", { title: "fits", due: "2026-01-01T01:00:00+01:00" }),
    ];
    await shop.stored(some).load(stored);
    const answer = await check("some");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        checked: 6,
        invalid: 3,
        documents: [
          {
            id: "b",
            details: [
              { path: "more", reason: "is not allowed" },
              { path: "title", reason: "must be string" },
            ],
          },
          { id: "c", details: [{ path: "title", reason: "is required" }] },
          { id: "e", details: [{ path: "due", reason: expect.any(String) }] },
        ],
      },
    ]);
    const after = await shop.stored(some).scan(undefined, 10);
    expect(after.map(({ id, version, text }) => ({ id, version, text }))).toEqual(
      stored.map(({ id, version, text }) => ({ id, version, text })),
    );
    expect(await shop.audit()).toEqual([]);
  });

  test("Administrator routes: _check of a collection without documents", async () => {
    expect((await check("none")).body).toEqual({ checked: 0, invalid: 0, documents: [] });
  });

  test("Administrator routes: _check names the first 100 by id, and counts all", async () => {
    const ids = Array.from({ length: 450 }, (_, n) => String(n).padStart(3, "0"));
    await shop.stored(many).load(ids.map((id, n) => older(id, n % 3 === 0 ? { title: "fits" } : {})));
    const { body } = await check("many");
    expect([body["checked"], body["invalid"]]).toEqual([450, 300]);
    const named = Array.isArray(body["documents"]) ? body["documents"].filter(isJsonObject) : [];
    expect(named.map(({ id }) => id)).toEqual(ids.filter((_, n) => n % 3 !== 0).slice(0, 100));
  });

  test("Administrator routes: _check names fewer where there is much to say", async () => {
    const name = "n".repeat(300_000);
    const documents = Array.from({ length: 8 }, (_, n) => older(`long${n}`, { [name]: 1 }));
    await shop.stored(long).load(documents);
    const { body } = await check("long");
    expect([body["checked"], body["invalid"]]).toEqual([8, 8]);
    expect(body["documents"]).toHaveLength(4);
  });

  test("Administrator routes: _check takes no parameters, and a body only if it is well-formed", async () => {
    expect(code(await check("none", "?limit=1"))).toBe("invalid_query");
    const send = (text: string) => shop.send("POST", "../_admin/data/main/none/_check", { text, token: key });
    expect((await send("{}")).status).toBe(200);
    expect(code(await send("{"))).toBe("invalid_json");
  });
});

describe("Administrator routes: one _check at a time", () => {
  test("Administrator routes: a second _check is 503 until the first one is done", async () => {
    const lease = await shop.store("shop").lease("check", 60_000);
    const busy = await check("none");
    expect([busy.status, code(busy), busy.headers.get("retry-after")]).toEqual([503, "unavailable", "5"]);
    await lease?.release();
    expect((await check("none")).status).toBe(200);
  });

  test("Administrator routes: a _check that fails makes way for the next", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    vi.spyOn(shop.stored(none), "scan").mockRejectedValue(new Error("the store broke"));
    expect((await check("none")).status).toBe(500);
    vi.restoreAllMocks();
    expect((await check("none")).status).toBe(200);
  });

  /** Gives a collection no end. */
  function withoutEnd(on: Shop) {
    const scans = { count: 0, begun: Promise.resolve() };
    scans.begun = new Promise((resolve) => {
      vi.spyOn(on.stored(endless), "scan").mockImplementation(async () => {
        scans.count += 1;
        if (scans.count === 3) resolve();
        return [older(`x${scans.count}`, { title: "fits" })];
      });
    });
    return scans;
  }

  test("Administrator routes: others are served meanwhile, and it ends with the client", async () => {
    const scans = withoutEnd(shop);
    const client = new AbortController();
    const aborted = fetch(`${shop.url}/v1/shop/_admin/data/main/endless/_check`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      signal: client.signal,
    }).catch(() => "aborted");
    await scans.begun;
    expect((await shop.send("GET", "../_admin/data/main/none", { token: key })).status).toBe(200);
    expect((await check("none")).status).toBe(503);
    client.abort();
    expect(await aborted).toBe("aborted");
    await until(async () => expect((await check("none")).status).toBe(200));
    const before = scans.count;
    await check("none");
    expect(scans.count).toBe(before);
    vi.restoreAllMocks();
  });

  test("Administrator routes: a _check under way does not keep the server from stopping", async () => {
    const stopping = await startShop("enabled", [endless]);
    const token = await stopping.key({ name: "admin", admin: true });
    const { begun } = withoutEnd(stopping);
    const cut = stopping.send("POST", "../_admin/data/main/endless/_check", { token }).catch(() => "cut");
    await begun;
    await stopping.stop();
    expect(await cut).toBe("cut");
    vi.restoreAllMocks();
  });
});
