/** The same requests to the examples on the embedded store and on MongoDB: the answers are the same, byte for byte. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { blog } from "../../generated/blog/realm.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { jobCollection, readJob } from "../../runtime/jobs/records.ts";
import { isJsonObject } from "../../runtime/json.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import {
  describeMongo,
  dropTestDatabases,
  testLocation,
} from "../../runtime/store/mongodb/testing/server.ts";
import { runs } from "../../runtime/testing/random.ts";
import { until } from "../../runtime/testing/until.ts";
import { manyStreams } from "../security/streams.ts";
import { Description } from "./description.ts";
import { ask, type Received, type Sent, send } from "./exchange.ts";
import { plans } from "./requests.ts";
import { parsed } from "./wire.ts";
import { World } from "./world.ts";

const seed = Number(process.env["PARITY_SEED"] ?? 20_260_301);
/** Requests to each operation; to those with a `where` three times as many. */
const rounds = Number(process.env["PARITY_ROUNDS"] ?? runs(3));

/** What functions do goes on in the background, and so comes sooner on one engine than on the other: none runs. */
const { definition, routes } = helpdesk;
const functions = definition.functions?.filter(({ mode }) => mode !== "event");
const desk = unlooked({ definition: { ...definition, ...(functions && { functions }) }, routes });
const stock = unlooked(inventory);
const modules = [blog, desk, stock];
const ofFunctions = /\/_func\/|\/_jobs\/|\/_admin\/functions/;

/** A start that finds a shared store looks for what older servers have written there since: a job that lists show. */
function unlooked({ definition, routes }: RealmModule): RealmModule {
  return definition.migrations === "start"
    ? { definition: { ...definition, migrations: "manual" }, routes }
    : { definition, routes };
}

describeMongo("The same requests on both engines", () => {
  const location = testLocation();
  let servers: readonly Started<HeldClock>[];
  beforeAll(async () => {
    const stores = [{ engine: "sqlite", folder: ":memory:" }, location] as const;
    const start = (store: (typeof stores)[number]) =>
      startRealm(modules, { settings: { ...manyStreams, store } });
    servers = await Promise.all(stores.map(start));
    await Promise.all(servers.map(firstLookOver));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await dropTestDatabases(location);
  });

  test.each([
    { module: blog, other: "helpdesk" },
    { module: desk, other: "blog" },
    { module: stock, other: "blog" },
  ])("$module.definition.name answers alike", async ({ module, other }) => {
    const sides: Side[] = [];
    for (const server of servers)
      sides.push({ world: await World.open(server, module, other), names: new Map() });
    const description = Description.of(module);
    const planned = description.operations.flatMap((operation, at) => {
      if (ofFunctions.test(operation.path)) return [];
      const number = operation.query.some(({ name }) => name === "where") ? 3 * rounds : rounds;
      return [{ operation, plans: plans(description, operation, number, seed + at) }];
    });
    for (let round = 0; round < 3 * rounds; round += 1) {
      for (const { operation, plans } of planned) {
        const plan = plans[round];
        if (plan === undefined) continue;
        const answers: unknown[] = [];
        let asked = operation.id;
        for (const { world, names } of sides) {
          const { sent, received } = await send(world, operation, plan);
          asked = `${operation.id}: ${operation.method} ${sent.path} by ${plan.caller} ${sent.body?.text ?? ""}`;
          answers.push(comparable(sent, received, names));
        }
        expect(answers[1], asked).toEqual(answers[0]);
      }
    }
    for (const collection of module.definition.collections) {
      if (collection.realtime === undefined) continue;
      const begun: unknown[] = [];
      for (const side of sides) begun.push(await streamOf(side, collection));
      expect(begun[1]).toEqual(begun[0]);
      expect(begun[0]).toMatchObject({ status: 200, body: expect.stringContaining("event: ready") });
    }
  });
});

/** Standing jobs are made and done once, so that lists of jobs show the same of them: their times are those of the start. */
async function firstLookOver(server: Started): Promise<void> {
  for (const { definition } of modules) {
    const jobs = server.store(definition.name).collection(jobCollection);
    await until(async () => {
      const purge = await jobs.get("retention", "live");
      expect(purge && readJob(purge).record).toMatchObject({ status: "queued", result: { removed: 0 } });
    });
  }
}

/** A server, and what it has called things by itself, in the order in which that was first heard. */
interface Side {
  readonly world: World;
  readonly names: Map<string, string>;
}

/** How a stream of a collection begins. */
async function streamOf({ world, names }: Side, { realm, database, name }: CollectionDefinition) {
  const { headers } = await world.identity("boss", false);
  const body = JSON.stringify({ subscriptions: [{ id: "all", db: database, collection: name }] });
  const sent = new Headers({ ...headers, "content-type": "application/json" });
  const received = await ask(world, "POST", `/v1/${realm}/_realtime`, sent, body);
  return comparable({ query: [] }, received, names);
}

/** What the server makes by itself. */
const made = new RegExp(
  [
    String.raw`\b0[0-9a-hjkmnp-tv-z]{19}\b`, // ids
    String.raw`\bsv[a-z]_[\w-]{43}`, // credentials
    String.raw`(?<="start":")sv[a-z]_[\w-]{4}(?=")`, // what they begin with
    String.raw`\b[A-Z2-7]{32}\b`, // secrets of second factors
    String.raw`\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b`, // recovery codes
    `(?<="next_cursor":")[^"]+`,
    String.raw`(?<![\w-])[\w-]{12}\.[0-9a-z]+\b`, // ids of requests
    String.raw`W/"[\w-]+"`, // tags of lists
    String.raw`(?<=\nid: )\S+`, // resume tokens
    String.raw`(?<=/_files/)[\w-]{40,}(?=")`, // signed links
  ].join("|"),
  "g",
);

/** An answer without what differs from server to server. */
function comparable(
  { query }: Pick<Sent, "query">,
  { status, headers, text }: Received,
  names: Map<string, string>,
): unknown {
  const renamed = (of: string) =>
    of.replace(made, (name) => {
      const known = names.get(name) ?? `made ${names.size}`;
      names.set(name, known);
      return known;
    });
  const told = [...headers].filter(([name]) => !ofConnections.has(name));
  const isRanked = query.some(([name, value]) => name === "order_by" && value === "_relevance");
  return {
    status,
    headers: told.map(([name, value]) => [name, renamed(value)]),
    body: isRanked ? unranked(renamed(text)) : renamed(text),
  };
}

const ofConnections = new Set(["connection", "content-length", "date", "keep-alive"]);

/** Engines weigh matches differently: scores, and so the order, compare only within one answer. */
function unranked(text: string): unknown {
  const answer = parsed(text.replace(/,"score":[\d.e+-]+/g, ""));
  if (!isJsonObject(answer) || !Array.isArray(answer["items"])) return answer;
  const items = answer["items"].map((item) => JSON.stringify(item)).sort();
  return { ...answer, items: answer["has_more"] === true ? items.length : items };
}
