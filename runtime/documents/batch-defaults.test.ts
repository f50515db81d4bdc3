/** Documents of one request that have defaults are together no larger than one may be. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { code, collection, type Shop, startShop, text } from "./testing/shop.ts";

const megabyte = "x".repeat(1_000_000);
const padded = collection("padded", {
  withDefaults: (document) => ({ extra: { text: megabyte }, ...document }),
});

let shop: Shop;
let token: string;
beforeAll(async () => {
  shop = await startShop("enabled", [padded]);
  ({ token } = await shop.person("ann@example.com", "boss"));
});
afterAll(() => shop.stop());

const create = (extra?: JsonObject) => ({
  ...{ op: "create", collection: "padded" },
  document: { title: "a", ...(extra && { extra }) },
});
const many = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);
const batch = (operations: readonly JsonObject[]) =>
  shop.send("POST", "../_admin/data/main/_batch", { body: { operations }, token });
const count = async () =>
  (await shop.send("GET", "../_admin/data/main/padded?count=true&limit=1", { token })).body["total"];

describe("defaults of many documents", () => {
  test("are bounded in a batch of creates", async () => {
    expect((await batch(many(10, create()))).status).toBe(200);
    const before = await count();
    const refused = await batch(many(20, create()));
    expect([refused.status, code(refused)]).toEqual([413, "payload_too_large"]);
    expect(await count()).toBe(before);
    expect((await batch(many(100, create({})))).status).toBe(200);
  });

  test("are bounded in a batch of creates and replacements", async () => {
    const made = await shop.send("POST", "../_admin/data/main/padded", { body: { title: "a" }, token });
    const replace = {
      op: "replace",
      collection: "padded",
      id: text(made.body, "id"),
      document: { title: "b" },
    };
    expect((await batch([...many(8, create()), ...many(4, replace)])).status).toBe(200);
    const before = await count();
    const refused = await batch([...many(8, create()), ...many(12, replace)]);
    expect([refused.status, code(refused)]).toEqual([413, "payload_too_large"]);
    expect(await count()).toBe(before);
  });

  test("are bounded in an import, which says that fewer are to be sent", async () => {
    const items = (some: number) => ({ mode: "create", documents: many(some, { title: "a" }) });
    const send = (body: JsonObject) =>
      shop.send("POST", "../_admin/data/main/padded/_import", { body, token });
    const before = await count();
    const refused = await send(items(20));
    expect([refused.status, code(refused)]).toEqual([409, "write_conflict"]);
    expect(await count()).toBe(before);
    expect((await send(items(10))).status).toBe(200);
  });
});
