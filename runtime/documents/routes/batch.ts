import { batchRoute as contract } from "../../contract/documents.ts";
import { bodyBytes, type JsonBody, readJson } from "../../http/body.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { type Piece, Slices } from "../../turns.ts";
import { type Access, mayWrite, refusal } from "../access.ts";
import { readOperations } from "../batch/operations.ts";
import { type BatchRequest, type Plan, planBatch } from "../batch/plan.ts";
import { Batch } from "../batch/run.ts";
import { collectionOf } from "../collection.ts";
import { clientEntrance, gate, type Open } from "../entrance.ts";
import { idempotency, idempotencyKey, type Work } from "../idempotency.ts";
import { namedIn, writeQuery } from "../query/writes.ts";

/** Milliseconds in a turn of the event loop for batches to be read and planned, before they wait to be written. */
const SLICE = 5;

/** Of all realms: they share the event loop. */
const slices = new Slices(SLICE);

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
    const { enter, receive } = gate(contract, entrance);
    const query = writeQuery(contract, realm, collections);
    const remember = idempotency(realm, `${entrance.name}${database}/_batch`, resultsIn);
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const asked = await enter(exchange);
        const key = idempotencyKey(exchange, asked);
        const named = namedIn(query(exchange.search), collections);
        const isRefused = () => key === undefined && !collections.some((each) => mayChange(each, asked));
        const { received, access } = await receive(asked, exchange, () =>
          isRefused() ? refusal(asked) : undefined,
        );
        const placed = entrance.place(access, named);
        const place = placed instanceof Promise ? await placed : placed;
        const request = { collections: byName, access, exchange, place };
        const read = async (piece: Piece): Promise<JsonBody> => {
          await piece();
          return readJson(received, contract.body.media);
        };
        const plan = async (body: JsonBody, piece: Piece): Promise<Work> =>
          workOf(request, await planBatch(request, readOperations(body), piece));
        const bytes = bodyBytes(received);
        if (key === undefined) {
          const work = await slices.run(async (piece) => plan(await read(piece), piece));
          return realm.store.transaction(work.write, { bytes });
        }
        const body = await slices.run(read);
        const asking = { body: body.value, named, withheld: access.withheld };
        return remember(key, asking, () => slices.run((piece) => plan(body, piece)), bytes);
      },
    };
  };
}

function workOf(request: BatchRequest, plan: Plan): Work {
  return {
    async write(transaction) {
      const batch = new Batch(request, transaction);
      const body = await batch.run(plan);
      await request.access.audit?.(transaction, batch.writes);
      return { status: 200, body };
    },
  };
}

/** Whether some operation of a batch may be allowed in a collection. */
function mayChange(definition: CollectionDefinition, access: Access): boolean {
  return (["create", "update", "delete"] as const).some((each) => mayWrite(definition, access, each));
}

/** @param body of a batch's answer (spec: Batch response) */
function resultsIn({ results }: JsonObject): readonly JsonValue[] {
  return Array.isArray(results) ? results : [];
}
