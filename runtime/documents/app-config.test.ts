import { afterAll, beforeAll, expect, it } from "vitest";
import { administrationRoutes } from "../auth/administration/routes.ts";
import { allowed, byCaller } from "../rules/constant.ts";
import { collection, type Shop, startShop } from "./testing/shop.ts";

/** Rules that read `appConfig`, which administrators replace while the server runs. */

const open = byCaller(({ appConfig }) => appConfig["open"] === true);
const notes = collection("notes", { rules: { read: open, create: open } });
const free = collection("free", { rules: { read: allowed } });

let shop: Shop;
let token: string;
beforeAll(async () => {
  shop = await startShop("enabled", [notes, free], {
    definition: { appConfig: { open: false }, readsAppConfig: true },
    routes: [administrationRoutes("shop")],
  });
  token = await shop.key({ name: "admin", admin: ["config"], scopes: {} });
});
afterAll(() => shop.stop());

const put = async (body: object) =>
  (await shop.send("PUT", "../_admin/config/app", { token, body: { ...body } })).status;

it("Authentication 11: rules see appConfig as administrators replaced it, at the very next request", async () => {
  const { token: ada } = await shop.signUp("ada@example.com");
  const allowedNow = async () => {
    const lists = [await shop.send("GET", "notes", { token: ada }), await shop.send("GET", "notes")];
    const created = await shop.send("POST", "notes", { token: ada, body: { title: "x" } });
    return [...lists, created].map(({ status }) => status);
  };
  const closed = [403, 401, 403];
  expect(await allowedNow()).toEqual(closed);
  expect(await put({ open: true })).toBe(200);
  expect(await allowedNow()).toEqual([200, 200, 201]);
  expect(await put({ open: "yes" })).toBe(200);
  expect(await allowedNow()).toEqual(closed);
  expect(await put({})).toBe(200);
  expect(await allowedNow()).toEqual(closed);
});

it("requests that run beside replacements see one value or the other, and then the last", async () => {
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      if (at % 5 === 0) return put({ open: at % 2 === 0, at });
      return (await shop.send("GET", "notes")).status;
    }),
  );
  for (const status of statuses) expect([200, 401]).toContain(status);
  await put({ open: true });
  expect((await shop.send("GET", "notes")).status).toBe(200);
  await put({ open: false });
  expect((await shop.send("GET", "notes")).status).toBe(401);
});
