import { afterEach, beforeEach, expect, test } from "vitest";
import { createKey } from "../auth/command-keys.ts";
import { systemClock } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { textsModule } from "./testing/fixture-texts.ts";
import { type ServerProcess, startProcess, urlOf } from "./testing/process.ts";
import { withStore } from "./testing/stored.ts";

let place: ProcessPlace;
let running: ServerProcess[];
beforeEach(() => {
  place = processPlace();
  running = [];
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.map(({ ended }) => ended));
  await place.discard();
});

function start(...diesAt: readonly string[]): ServerProcess {
  const server = startProcess(place, {}, ["--texts", ...diesAt]);
  running.push(server);
  return server;
}

const documents = 3_000;

/** Documents as a version without a text index has stored them; answers an administrator's key. */
function stored(): Promise<string> {
  const { definition, routes } = textsModule(place.realm);
  const without = definition.collections.map(({ text: _, ...collection }) => collection);
  return withStore(place, { definition: { ...definition, collections: without }, routes }, async (store) => {
    const notes = Array.from({ length: documents }, (_, n) => {
      const id = String(n).padStart(5, "0");
      const at = new Date(n).toISOString();
      const _meta = { created_at: at, updated_at: at, version: 1 };
      return {
        id,
        version: 1,
        text: JSON.stringify({ id, title: `Running ${n}`, _meta }),
        createdAt: n,
      };
    });
    await store.collection("main.notes").load(notes);
    return createKey(store, systemClock, { name: "admin", admin: ["data"] });
  });
}

test("Full-text search 7: where the process that builds an index is killed amid it, the next one goes on with the same job", {
  timeout: 150_000,
}, async () => {
  const key = await stored();
  const killed = start("Running 1500");
  expect(await killed.ended).toBeNull();
  const url = `${await urlOf(start())}/v1/${place.realm}`;

  const get = async (path: string): Promise<{ readonly status: number; readonly body: JsonObject }> => {
    const answer = await fetch(`${url}/${path}`, { headers: { authorization: `Bearer ${key}` } });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const search = encodeURIComponent(JSON.stringify({ $search: "run" }));
  expect(await get("main/notes?count=true&limit=1")).toMatchObject({
    status: 200,
    body: { total: documents },
  });
  await until(
    async () => {
      const found = await get(`main/notes?count=true&limit=1&where=${search}`);
      expect(found).toMatchObject({ status: 200, body: { total: documents } });
    },
    { limit: 120_000, interval: 50 },
  );
  const indexing = async () => {
    const { body } = await get("_admin/jobs");
    const items: readonly unknown[] = Array.isArray(body["items"]) ? body["items"] : [];
    return items.filter((job) => expect.objectContaining({ kind: "text_index" }).asymmetricMatch(job));
  };
  // Where the store is shared, instances see to it among themselves.
  if (!isEmbedded) expect(await indexing()).toEqual([]);
  else
    await until(async () =>
      expect(await indexing()).toMatchObject([{ target: "collection:main/notes", status: "succeeded" }]),
    );
});
