import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { documentFields, field } from "../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { allowed } from "../rules/index.ts";
import { runs } from "../testing/random.ts";
import { code, collection, details, type Received, type Shop, startShop, text } from "./testing/shop.ts";

const fields = {
  ...documentFields,
  name: field("name", "string"),
  size: field("size", ["integer", "null"]),
  share: field("share", ["number", "null"]),
  done: field("done", ["boolean", "null"]),
  day: field("day", "date"),
  tags: field("tags", "string", ["tags"]),
  lines: field("lines", "object", ["lines"]),
  "lines.sku": field("lines.sku", "string", ["lines"]),
  either: field("either", ["integer", "string"]),
  address: field("address", "object"),
  run: field("run", "integer"),
};
const open = { fields, validate: () => true };
const items = collection("items", {
  ...open,
  softDelete: {},
  indexes: [{ name: "size", keys: [{ field: fields.size, descending: true }], unique: false }],
});
const others = collection("others", open);
const walked = collection("walked", open);
const visible = collection("visible", {
  ...open,
  rules: {
    create: allowed,
    read: { filter: () => eq(fields.done, true), check: (_, { done }) => done === true },
  },
});

let shop: Shop;
let members: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [items, others, walked]);
  members = await startShop("enabled", [visible]);
});
afterAll(() => Promise.all([shop.stop(), members.stop()]));

async function create(name: string, body: JsonObject, where = shop): Promise<string> {
  return text((await where.send("POST", name, { body })).body, "id");
}

function list(name: string, query: string, where = shop): Promise<Received> {
  return where.send("GET", `${name}?${query}`);
}

function itemsOf({ body }: Received): readonly JsonObject[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

function cursorOf({ body }: Received): string | undefined {
  return body["next_cursor"] === undefined ? undefined : text(body, "next_cursor");
}

/** The ids of all pages, one after the other. */
async function walk(name: string, query: string, where = shop): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = await list(name, `${query}${after && `&after=${encodeURIComponent(after)}`}`, where);
    expect(page.status).toBe(200);
    ids.push(...itemsOf(page).map(({ id }) => String(id)));
    after = cursorOf(page);
    expect(after !== undefined).toBe(page.body["has_more"]);
  }
  return ids;
}

/** Twelve documents: sizes 0 to 3 thrice, of which the first is none at all. */
const ids: string[] = [];
beforeAll(async () => {
  for (let at = 0; at < 12; at += 1) {
    shop.clock.advance(at % 2);
    ids.push(
      await create("items", { name: `n${at}`, ...(at % 4 > 0 && { size: at % 4 }), tags: ["t"], either: at }),
    );
    await create("others", { name: `n${at}`, size: at });
  }
});

describe("Cursor paging 1: pages", () => {
  test.each(["", "&order_by=-_meta.created_at", "&order_by=name", "&order_by=id", "&order_by=-id,name"])(
    "Cursor paging 1: next_cursor, sent as after with the same where and order_by, leads through all: %s",
    async (order) => {
      const { body } = await list("items", `limit=100${order}`);
      const whole = Array.isArray(body["items"])
        ? body["items"].filter(isJsonObject).map(({ id }) => id)
        : [];
      expect(whole.length).toBe(12);
      expect(body).not.toHaveProperty("next_cursor");
      for (const limit of [1, 5, 6, 11]) expect(await walk("items", `limit=${limit}${order}`)).toEqual(whole);
    },
  );

  test("Cursor paging 1: an answer to after says skip 0, and has a tag of its own", async () => {
    const first = await list("items", "limit=6");
    const second = await list("items", `limit=6&after=${cursorOf(first)}`);
    expect(second.body).toMatchObject({ skip: 0, limit: 6, has_more: false });
    expect(second.tag).not.toBe(first.tag);
    const again = await shop.send("GET", `items?limit=6&after=${cursorOf(first)}`, {
      headers: { "if-none-match": second.tag ?? "" },
    });
    expect([again.status, again.tag]).toEqual([304, second.tag]);
  });
});

describe("Cursor paging 2: a position", () => {
  test("Cursor paging 2: it survives the edit and the deletion of its document", async () => {
    const doomed = await create("items", { name: "zz1", size: 50 });
    const edited = await create("items", { name: "zz2", size: 51 });
    const last = await create("items", { name: "zz3", size: 52 });
    const where = `where=${encodeURIComponent('{"size":{"$gte":50}}')}&limit=1&order_by=size`;
    const afterDoomed = cursorOf(await list("items", where)) ?? "";
    const afterEdited = cursorOf(await list("items", `${where}&after=${afterDoomed}`)) ?? "";
    await shop.send("DELETE", `items/${doomed}`);
    await shop.send("PATCH", `items/${edited}`, { body: { size: 70 } });

    expect(itemsOf(await list("items", `${where}&after=${afterDoomed}`)).map(({ id }) => id)).toEqual([last]);
    expect(itemsOf(await list("items", `${where}&after=${afterEdited}`)).map(({ id }) => id)).toEqual([last]);
    for (const id of [edited, last]) await shop.send("DELETE", `items/${id}`);
  });

  test("Cursor paging 2: with order_by=id alone it is the last document's id, any id is a position", async () => {
    const page = await list("items", "order_by=id&limit=5");
    expect(cursorOf(page)).toBe(ids[4]);
    expect(itemsOf(await list("items", "order_by=id&after=0")).length).toBe(12);
    expect(itemsOf(await list("items", "order_by=id&after=zzz")).length).toBe(0);
    expect(itemsOf(await list("items", `order_by=id&after=${ids[9]}~`)).map(({ id }) => id)).toEqual(
      ids.slice(10),
    );
  });

  test("Cursor paging 2: the trash pages too", async () => {
    const gone = [];
    for (let at = 0; at < 3; at += 1) gone.push(await create("items", { name: `gone${at}` }));
    for (const id of gone) await shop.send("DELETE", `items/${id}`);
    const seen = await walk("items", "deleted=only&limit=1");
    expect(seen.slice(-3)).toEqual(gone);
  });
});

describe("Cursor paging 3: refused", () => {
  test.each([
    ["another order", "name", "-name"],
    ["another order", "", "-_meta.created_at"],
    ["another order", "name", "size,name"],
    ["another order", "name", ""],
    ["an order by id", "name", "id"],
    ["the order of ids", "id", "-id"],
    ["the order of ids", "id", ""],
  ])("Cursor paging 3: a cursor from %s: %j taken to %j", async (_, from, to) => {
    const cursor = cursorOf(await list("items", `limit=5${from && `&order_by=${from}`}`));
    expect(cursor).toBeDefined();
    await refused(`after=${cursor}${to && `&order_by=${to}`}`, "is not a cursor of this order");
  });

  test("Cursor paging 3: the same order in other words is the same order", async () => {
    const cursor = cursorOf(await list("items", "limit=5"));
    for (const order of ["_meta.created_at", "_meta.created_at,id"]) {
      const page = await list("items", `order_by=${order}&after=${cursor}`);
      expect(itemsOf(page).map(({ id }) => id)).toEqual(ids.slice(5));
    }
  });

  test("Cursor paging 3: a cursor of another collection", async () => {
    await refused(`after=${cursorOf(await list("others", "limit=5"))}`, "is not a cursor of this order");
  });

  test("Cursor paging 3: made-up values", async () => {
    const cursor = cursorOf(await list("items", "limit=5")) ?? "";
    const values = [
      "",
      "x",
      "_",
      "null",
      "[]",
      `${cursor}A`,
      cursor.slice(0, -1),
      cursor.slice(1),
      `_${cursor}`,
    ];
    for (let at = 1; at < cursor.length; at += 7) {
      values.push(cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1));
    }
    for (const value of values) await refused(`after=${value}`, "is not a cursor of this order");
    for (const value of ["", "_x", "..", "a/b", "a%20b", "x".repeat(129)]) {
      await refused(`order_by=id&after=${value}`, "is not a cursor of this order");
    }
  });

  test.each(["skip=0", "skip=5"])("Cursor paging 3: combined with %s", async (skip) => {
    const cursor = cursorOf(await list("items", "limit=5"));
    await refused(`after=${cursor}&${skip}`, "cannot be combined with skip");
    await refused(`order_by=id&after=${ids[1]}&${skip}`, "cannot be combined with skip");
  });
});

test("Cursor paging 4: documents with equal sort values are separated by id", async () => {
  const bySize = (index: number) => ids.filter((_, at) => at % 4 === index);
  const ascending = [0, 1, 2, 3].flatMap(bySize);
  for (const limit of [1, 2, 5]) {
    expect(await walk("items", `order_by=size&limit=${limit}`)).toEqual(ascending);
    expect(await walk("items", `order_by=-size&limit=${limit}`)).toEqual([3, 2, 1, 0].flatMap(bySize));
    expect(await walk("items", `order_by=size,-id&limit=${limit}`)).toEqual(
      [0, 1, 2, 3].flatMap((index) => bySize(index).toReversed()),
    );
  }
});

test.each(["tags", "lines", "lines.sku", "either", "address", "name,-tags", "either,id"])(
  "Cursor paging 5: order_by=%s gives no next_cursor and refuses after; skip is used",
  async (order) => {
    const page = await list("items", `order_by=${order}&limit=5`);
    expect([page.status, page.body["has_more"], cursorOf(page)]).toEqual([200, true, undefined]);
    expect(itemsOf(await list("items", `order_by=${order}&limit=5&skip=10`)).length).toBe(2);
    const cursor = cursorOf(await list("items", "limit=5"));
    await refused(`order_by=${order}&after=${cursor}`, "is not available in this order: use skip");
  },
);

test("Cursor paging 5: a value too long for a request to send back gives no next_cursor", async () => {
  const name = "x".repeat(10_000);
  for (let at = 0; at < 3; at += 1) await create("walked", { name: `${at < 2 ? name : "b"}${at}` });
  const page = await list("walked", "order_by=name&limit=1");
  expect(cursorOf(page)).toBeDefined();
  const next = await list("walked", `order_by=name&limit=1&after=${cursorOf(page)}`);
  expect([next.body["has_more"], cursorOf(next)]).toEqual([true, undefined]);
});

test("Cursor paging 6: where and the read rule apply after the cursor; count=true counts the whole list", async () => {
  for (let size = 0; size < 9; size += 1) await create("visible", { size, done: size !== 4 }, members);
  const where = `where=${encodeURIComponent('{"size":{"$gt":0}}')}&order_by=-size&count=true`;
  const first = await list("visible", `${where}&limit=3`, members);
  const second = await list("visible", `${where}&limit=3&after=${cursorOf(first)}`, members);
  const third = await list("visible", `${where}&limit=3&after=${cursorOf(second)}`, members);
  const sizes = [first, second, third].map((page) => itemsOf(page).map(({ size }) => size));
  expect(sizes).toEqual([[8, 7, 6], [5, 3, 2], [1]]);
  expect([first, second, third].map(({ body }) => body["total"])).toEqual([7, 7, 7]);
  expect([first, second, third].map(({ body }) => body["has_more"])).toEqual([true, true, false]);
});

describe("Cursor paging 2 and 4: walking while documents change", () => {
  const sizes = fc.constantFrom<JsonValue | undefined>(undefined, null, 0, 1, 2, 3);
  const shares = fc.constantFrom<JsonValue | undefined>(undefined, null, -1.5, 0, 2.5e-7, 1e21);
  const truths = fc.constantFrom<JsonValue | undefined>(undefined, null, false, true);
  const days = fc.constantFrom<JsonValue | undefined>(undefined, "2026-01-01", "2026-12-31");
  const names = fc.constantFrom<JsonValue | undefined>(undefined, "", "a", "é", "\uffff", "😀");
  const body = fc.record({ size: sizes, share: shares, done: truths, day: days, name: names });
  const key = fc.tuple(
    fc.constantFrom("", "-"),
    fc.constantFrom("size", "share", "done", "day", "name", "_meta.created_at", "_meta.version"),
  );
  const orders = fc
    .uniqueArray(key, { minLength: 1, maxLength: 3, selector: ([, path]) => path })
    .map((keys) => keys.map((parts) => parts.join("")).join(","));
  const change = fc.record({
    kind: fc.constantFrom("insert", "edit", "delete"),
    at: fc.nat(30),
    body,
  });

  test("Cursor paging 2: what stays as it is comes once, in order, whatever comes, goes and moves", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(body, { minLength: 6, maxLength: 12 }),
        orders,
        fc.array(fc.array(change, { maxLength: 2 }), { maxLength: 8 }),
        async (bodies, order, steps) => {
          run += 1;
          const put = (of: JsonObject) => create("walked", { ...of, run });
          const staying: string[] = [];
          const changing: string[] = [];
          for (const [at, each] of bodies.entries()) (at % 2 ? changing : staying).push(await put(each));
          const mine = `where={"run":${run}}&order_by=${order}`;
          const expected = (await walk("walked", `${mine}&limit=100`)).filter((id) => staying.includes(id));
          expect(expected.length).toBe(staying.length);

          const seen: string[] = [];
          let cursor: string | undefined = "";
          for (let step = 0; cursor !== undefined; step += 1) {
            const page = await list("walked", `${mine}&limit=2${cursor && `&after=${cursor}`}`);
            expect(page.status).toBe(200);
            seen.push(...itemsOf(page).map(({ id }) => String(id)));
            cursor = cursorOf(page);
            for (const { kind, at, body: next } of steps[step] ?? []) {
              const path = `walked/${changing[at % changing.length]}`;
              if (kind === "insert") await put(next);
              else if (kind === "edit") await shop.send("PUT", path, { body: { ...next, run } });
              else await shop.send("DELETE", path);
            }
          }
          expect(seen.filter((id) => staying.includes(id))).toEqual(expected);
        },
      ),
      { seed: 3, numRuns: runs(40) },
    );
  });
});

async function refused(query: string, reason: string): Promise<void> {
  const answer = await list("items", query);
  expect([answer.status, code(answer), details(answer)]).toEqual([
    400,
    "invalid_query",
    [{ path: "after", reason }],
  ]);
}
