import { type JsonBody, readJson } from "../../http/body.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract.ts";
import { readOperations } from "../batch/operations.ts";
import { Batch } from "../batch/run.ts";
import { collectionOf } from "../collection.ts";
import { clientEntrance, type Open } from "../entrance.ts";
import { idempotency, idempotencyKey } from "../idempotency.ts";
import { nowhere } from "../organizations.ts";
import { createQuery } from "../query/writes.ts";

/**
 * `POST /v1/{realm}/{database}/_batch`: up to 100 writes, all or nothing.
 * @param collections those of the database
 */
export function batchRoute(
  database: string,
  collections: readonly CollectionDefinition[],
  open: Open = clientEntrance,
): RouteFactory {
  return (realm) => {
    const byName = new Map(
      collections.map((definition) => [definition.name, collectionOf(realm, definition)]),
    );
    const entrance = open(realm, collections);
    const remember = idempotency(realm, `${entrance.name}${database}/_batch`, resultsIn);
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const access = await entrance.writer(exchange);
        const key = idempotencyKey(exchange, access);
        const named = createQuery(exchange.search, collections);
        const place = named === nowhere ? nowhere : await entrance.place(access, named);
        const read = () => readJson(exchange, "application/json");
        const run = async (transaction: Transaction, { value, problems }: JsonBody): Promise<Answer> => {
          const batch = new Batch(byName, access, exchange, place, transaction);
          const body = await batch.run(readOperations(value, problems));
          await access.audit?.(transaction, batch.writes);
          return { status: 200, body };
        };
        if (key !== undefined) {
          const body = read();
          const asked = { body: body.value, named, withheld: access.withheld };
          return remember(key, asked, (transaction) => run(transaction, body));
        }
        // Read when its turn comes: batches that wait are bytes, and what one is parsed into is gone before the next.
        return realm.store.transaction(async (transaction) => run(transaction, read()));
      },
    };
  };
}

/** @param body of a batch's answer (spec: Batch response) */
function resultsIn({ results }: JsonObject): readonly JsonValue[] {
  return Array.isArray(results) ? results : [];
}
