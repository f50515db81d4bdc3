/** `ctx.db` against the document routes: what either says is what the other means. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { collection, type Shop, startShop } from "../../documents/testing/shop.ts";
import { byCaller } from "../../rules/index.ts";
import { Pool } from "../pool/pool.ts";
import { functionRoutes } from "../routes.ts";
import { call } from "../testing/shop.ts";
import { TestFunctions } from "../testing/threads.ts";

const nobody = byCaller(() => false);
const notes = collection("notes", { rules: { create: nobody, read: nobody }, softDelete: {} });

const all = `async (input, ctx) => {
  const { notes } = ctx.db.main;
  const made = await notes.create({ title: "a", qty: 1 });
  const replaced = await notes.replace(made.id, { title: "b", qty: 2 }, { ifMatch: made._meta.version });
  const stale = await notes.patch(made.id, { qty: 3 }, { ifMatch: made._meta.version }).catch((error) => error.code);
  const updated = await notes.update(made.id, ({ qty }) => ({ qty: qty + 1 }));
  await notes.delete(made.id);
  const deleted = await notes.get(made.id);
  const restored = await notes.restore(made.id);
  const batch = await ctx.db.main.batch([
    { op: "create", collection: "notes", document: { title: "c", qty: 5 } },
    { op: "patch", collection: "notes", id: made.id, patch: { qty: 6 } },
  ]);
  const page = await notes.list({ where: { qty: { $gte: 5 } }, orderBy: ["-qty"], limit: 1 });
  const titles = [];
  for await (const { title } of notes.each()) titles.push(title);
  const counted = [await notes.count(), await notes.count({ title: "c" })];
  await notes.delete(made.id, { purge: true });
  return {
    versions: [made, replaced, updated, restored, ...batch].map(({ _meta }) => _meta.version),
    stale, deleted, titles, counted,
    page: [page.items[0].qty, page.hasMore, typeof page.nextCursor],
    left: await notes.count(),
  };
}`;

let functions: TestFunctions;
let shop: Shop;
beforeAll(async () => {
  functions = new TestFunctions();
  const definitions = [call("all")];
  functions.add("all", `export default ${all};`, { realm: "shop", database: "main" });
  const bounds = { requestBytes: 2 ** 20, outputBytes: 2 ** 20 };
  shop = await startShop("enabled", [notes], {
    runner: new Pool({ files: functions, workers: 2, bounds }),
    definition: { functions: definitions },
    routes: [functionRoutes("shop", definitions)],
  });
});
afterAll(async () => {
  await shop.stop();
  functions.discard();
});

test("all that ctx.db does is done by the document routes", async () => {
  const { status, body } = await shop.send("POST", "_func/all", { body: {} });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      versions: [1, 2, 3, expect.any(Number), 1, expect.any(Number)],
      stale: "version_mismatch",
      deleted: null,
      titles: ["b", "c"],
      counted: [2, 1],
      page: [6, true, "string"],
      left: 1,
    },
  });
});
