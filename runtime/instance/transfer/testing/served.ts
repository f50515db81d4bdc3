import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { collection, type Shop, type ShopOptions, startShop } from "../../../documents/testing/shop.ts";
import type { CollectionDefinition, RealmDefinition } from "../../../realm/definition.ts";
import type { RealmModule } from "../../../realm/exchange.ts";
import { commandOf, type Ended } from "./shop.ts";

/** A server of the realm `shop`. */
export interface Served {
  readonly shop: Shop;
  /** Of an administrator. */
  readonly key: string;
  /** Runs a command with the server as `--url`, and the key. */
  command(words: readonly string[], url?: string, key?: string): Promise<Ended>;
  stop(): Promise<void>;
}

export const plain = collection("plain", { customId: { duplicateLimit: 2 } });
export const things = collection("things", { softDelete: {} });
export const chosen = collection("chosen", { customId: { duplicateLimit: 2 } });

export async function serve(
  collections: readonly CollectionDefinition[] = [things, chosen],
  options: ShopOptions = {},
): Promise<Served> {
  const shop = await startShop("enabled", collections, options);
  const key = await shop.key({ name: "admin", admin: true });
  return {
    ...{ shop, key },
    command: (words, url = shop.url, with_ = key) =>
      commandOf([moduleOf(collections)], [...words, "--url", url], { REALMC_KEY: with_ }),
    stop: () => shop.stop(),
  };
}

/** As much of a realm as commands look at. */
export function moduleOf(
  collections: readonly CollectionDefinition[],
  realm = "shop",
  more: Partial<RealmDefinition> = {},
): RealmModule {
  const definition = {
    ...{ name: realm, origins: [], appConfig: {}, effective: { realm: {}, databases: {} }, ...more },
    collections: collections.map((each) => ({ ...each, realm })),
  };
  return { definition, routes: [] };
}

/** A server that answers each request as it is told. */
export async function answering(
  listener: RequestListener,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((stopped) => {
        server.closeAllConnections();
        server.close(() => stopped());
      }),
  };
}
