import { afterAll, beforeAll, expect, test } from "vitest";
import { administrationRoutes } from "../auth/administration/routes.ts";
import { allowed, byCaller } from "../rules/constant.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { untilQuiet } from "./testing/quiet.ts";
import { collection, type Sent, type Shop, startShop } from "./testing/shop.ts";

const open = byCaller(({ appConfig }) => appConfig["open"] === true);
const notes = collection("notes", { rules: { read: open, create: allowed } });

describeMongo("What a request asks of app_config, where the store is shared", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
  });
  afterAll(async () => {
    await proxy.close();
    await dropTestDatabases(location);
  });

  /** The commands of a list, with what their first, or only, query looks at. */
  async function asked(shop: Shop, sent: Sent): Promise<string> {
    proxy.commands.length = 0;
    expect((await shop.send("GET", "notes", sent)).status).toBe(200);
    return proxy.commands.map(({ name, body }) => `${name} ${String(body[name])}`).join(", ");
  }

  async function withShop(readsAppConfig: boolean, use: (shop: Shop) => Promise<void>): Promise<void> {
    const shop = await startShop("enabled", [notes], {
      definition: { appConfig: { open: true }, ...(readsAppConfig && { readsAppConfig: true }) },
      routes: [administrationRoutes("shop")],
      settings: { store: { ...location, uri: proxy.uri } },
    });
    try {
      await untilQuiet(proxy, `${location.prefix}shop`);
      await use(shop);
    } finally {
      await shop.stop();
    }
  }

  const list = "find main.notes";
  const value = "find _svc.config";

  test("with a credential nothing more than it, until it is replaced; without one, the record each time", () =>
    withShop(true, async (shop) => {
      const { token } = await shop.signUp("ada@example.com");
      const admin = await shop.key({ name: "admin", admin: ["config"], scopes: {} });
      const session = "aggregate _svc.sessions";
      const replace = async (at: number) => {
        const body = { open: true, at };
        expect((await shop.send("PUT", "../_admin/config/app", { token: admin, body })).status).toBe(200);
      };
      expect(await asked(shop, { token })).toBe(`${session}, ${value}, ${list}`);
      for (const at of [1, 2]) {
        for (let round = 0; round < 3; round += 1)
          expect(await asked(shop, { token })).toBe(`${session}, ${list}`);
        expect(await asked(shop, {})).toBe(`${value}, ${list}`);
        await replace(at);
        expect(await asked(shop, { token })).toBe(`${session}, ${value}, ${list}`);
      }
    }));

  test("in a realm none of whose rules read it, nothing", () =>
    withShop(false, async (shop) => {
      const { token } = await shop.signUp("bea@example.com");
      expect(await asked(shop, {})).toBe(list);
      expect(await asked(shop, { token })).toBe(`aggregate _svc.sessions, ${list}`);
    }));
});
