import { afterEach, beforeEach, expect, test } from "vitest";
import { documentFields, field } from "../filter/fields.ts";
import { textIndex } from "../filter/search/index.ts";
import { jobRoutes } from "../jobs/routes.ts";
import { isEmbedded, type TestPlace, testPlace } from "../store/testing/stores.ts";
import { code, collection, type Shop, startShop } from "./testing/shop.ts";

const fields = { ...documentFields, title: field("title", "string"), body: field("body", "string") };
const declaring = (searched: keyof typeof fields, defaultLanguage: string) =>
  collection("notes", {
    fields,
    validate: () => true,
    text: textIndex({ fields: [{ field: fields[searched], weight: 1 }], defaultLanguage }),
  });

let place: TestPlace;
let shop: Shop | undefined;
beforeEach(() => {
  place = testPlace();
});
afterEach(async () => {
  await shop?.stop();
  await place.discard();
});

async function started(searched: keyof typeof fields, defaultLanguage: string): Promise<Shop> {
  await shop?.stop();
  shop = await startShop("disabled", [declaring(searched, defaultLanguage)], {
    settings: { store: place.location },
    routes: [jobRoutes("shop")],
  });
  return shop;
}

const searching = (words: string) =>
  `notes?count=true&limit=1&where=${encodeURIComponent(JSON.stringify({ $search: words }))}`;

async function store(server: Shop, count: number): Promise<void> {
  for (let made = 0; made < count; made += 100) {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      op: "create",
      collection: "notes",
      document: { title: `printers ${made + at}`, body: `Häuser ${"wort ".repeat(100)}${made + at}` },
    }));
    const { status } = await server.send("POST", "_batch", { body: { operations } });
    expect(status).toBe(200);
  }
}

test("Versioning 5: a changed text index is replaced at the next start, 503 index_building meanwhile", async () => {
  const before = await started("title", "en");
  await store(before, 1_000);
  expect((await before.send("GET", searching("printer"))).body).toMatchObject({ total: 1_000 });
  expect((await before.send("GET", searching("haus"))).body).toMatchObject({ total: 0 });

  const changed = await started("body", "de");
  const during = await changed.send("GET", searching("haus"));
  expect([during.status, code(during), during.headers.get("retry-after")]).toEqual([
    503,
    "index_building",
    expect.stringMatching(/^[1-9]\d*$/),
  ]);
  // Everything else is answered, and what is written now is found later.
  expect((await changed.send("GET", "notes?limit=1&count=true")).body).toMatchObject({ total: 1_000 });
  const one = `notes?order_by=-title&where=${encodeURIComponent('{"title":"printers 7"}')}`;
  expect((await changed.send("GET", one)).body).toMatchObject({ items: [{ title: "printers 7" }] });
  const { status } = await changed.send("POST", "notes", { body: { title: "x", body: "Ein Haus" } });
  expect(status).toBe(201);

  let after = during;
  while (after.status === 503) after = await changed.send("GET", searching("haus"));
  expect(after.body).toMatchObject({ total: 1_001 });
  expect((await changed.send("GET", searching("printers"))).body).toMatchObject({ total: 0 });

  const again = await started("body", "de");
  expect((await again.send("GET", searching("haus"))).body).toMatchObject({ total: 1_001 });

  // A job did it, of which there is none where nothing is to be done; instances that share a store do it without one.
  const token = await again.key({ admin: ["data"] });
  const { body } = await again.send("GET", "../_admin/jobs", { token });
  const job = { target: "collection:main/notes", status: "succeeded" };
  const items: readonly unknown[] = Array.isArray(body["items"]) ? body["items"] : [];
  const found = items.filter((item) => expect.objectContaining({ kind: "text_index" }).asymmetricMatch(item));
  expect(found).toMatchObject(isEmbedded ? [job] : []);
});
