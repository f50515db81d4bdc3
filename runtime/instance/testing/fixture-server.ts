/**
 * A server process for tests: `<realm> [--unique]`, whose `slow` route answers once it has written its document, or
 * `<realm> --organizations`, which verifies addresses, or `<realm> --texts [<title>]`, which dies where it indexes that title; with `--fingerprint=<f>`, of a configuration called so.
 */
import { setTimeout } from "node:timers/promises";
import { createDocument } from "../../documents/routes/create.ts";
import { ApiError } from "../../errors.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import { main } from "../main.ts";
import { item, shopModule, uniqueSku } from "./fixture.ts";
import { organizationsModule } from "./fixture-organizations.ts";
import { textsModule } from "./fixture-texts.ts";

const [node = "", script = "", realm = "", ...flags] = process.argv;

const shop = shopModule({
  realm,
  indexes: flags.includes("--unique") ? [uniqueSku] : [],
  routes: {
    [`/v1/${realm}/main/slow/:id`]: {
      PUT: ({ store, log }) => ({
        class: "document",
        async handle(exchange) {
          log.info({}, "entered");
          const { params } = await exchange.receive();
          await setTimeout(300);
          await store.collection("main.items").insert(item(params["id"] ?? ""));
          return { status: 204 };
        },
      }),
    },
    [`/v1/${realm}/main/items/:id`]: {
      GET: ({ store }) => ({
        class: "document",
        async handle({ params }) {
          const found = await store.collection("main.items").get(params["id"] ?? "", "live");
          if (found === undefined) throw new ApiError("not_found", "No such document.");
          return { status: 200, body: found.text };
        },
      }),
    },
    [`/v1/${realm}/main/items`]: {
      POST: (running) => {
        const [items] = running.definition.collections;
        if (items === undefined) throw new Error("the fixture has a collection");
        return createDocument(items)(running);
      },
    },
    [`/v1/${realm}/main/memory`]: {
      GET: () => ({
        class: "document",
        handle: () => ({ status: 200, body: JSON.stringify({ rss: process.memoryUsage.rss() }) }),
      }),
    },
    [`/v1/${realm}/main/crash`]: {
      POST: () => ({
        class: "document",
        handle() {
          queueMicrotask(() => {
            throw new Error("bug outside every handler");
          });
          return { status: 204 };
        },
      }),
    },
  },
});

process.argv = [node, script, ...flags.filter((flag) => flag === "handover")];
const fingerprint = flags.find((flag) => flag.startsWith("--fingerprint="))?.slice(14) ?? "f1";
await main({ fingerprint, realms: [realmOf(flags)] });

function realmOf([kind, title]: readonly string[]): RealmModule {
  if (kind === "--organizations") return organizationsModule(realm);
  if (kind === "--texts") return textsModule(realm, title);
  return shop;
}
