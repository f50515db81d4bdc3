/** A server process for `process.test.ts`: one realm, whose `slow` route answers once it has written its document. */
import { setTimeout } from "node:timers/promises";
import { ApiError } from "../errors.ts";
import { item, shopModule, uniqueSku } from "./fixture.ts";
import { main } from "./main.ts";

const shop = shopModule({
  indexes: process.argv.includes("--unique") ? [uniqueSku] : [],
  routes: {
    "/v1/shop/main/slow/:id": {
      PUT: ({ store, log }) => ({
        class: "document",
        async handle({ params }) {
          log.info({}, "entered");
          await setTimeout(300);
          await store.collection("main.items").insert(item(params["id"] ?? ""));
          return { status: 204 };
        },
      }),
    },
    "/v1/shop/main/items/:id": {
      GET: ({ store }) => ({
        class: "document",
        async handle({ params }) {
          const found = await store.collection("main.items").get(params["id"] ?? "", "live");
          if (found === undefined) throw new ApiError("not_found", "No such document.");
          return { status: 200, body: found.text };
        },
      }),
    },
    "/v1/shop/main/crash": {
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

process.argv = process.argv.filter((word) => word !== "--unique");
await main({ fingerprint: "f1", realms: [shop] });
