/**
 * A server process: `<realm>`. In it a trigger's handler counts what it is told of each document of `main/things` in
 * `main/counts`, by writes that do nothing when they are done again, and notes what comes out of order.
 */
import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { systemClock } from "../../../runtime/clock.ts";
import { clientEntrance } from "../../../runtime/documents/entrance.ts";
import { documentRoutes } from "../../../runtime/documents/routes/table.ts";
import { documentFields } from "../../../runtime/filter/fields.ts";
import type { Result, Returned, Run } from "../../../runtime/functions/invocation.ts";
import { InProcessRunner } from "../../../runtime/functions/testing/runner.ts";
import { documents, event } from "../../../runtime/functions/testing/shop.ts";
import { startInstance } from "../../../runtime/instance/instance.ts";
import { readSettings } from "../../../runtime/instance/settings.ts";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import { told } from "./told.ts";

const realm = process.argv[2] ?? "";

const collection = (name: string): CollectionDefinition => ({
  ...{ realm, database: "main", name, fields: documentFields, indexes: [], validate: () => true },
});
const collections = [
  collection("things"),
  { ...collection("counts"), customId: { duplicateLimit: 1_000_000 } },
];

const count = event("count", {
  realm,
  triggers: [{ database: "main", collection: "things", on: ["create", "update", "delete"] }],
  attempts: 10,
});

/** Attempts that fail, one of so many. */
const FAILS = 20;

async function handle(run: Run): Promise<Returned | Result> {
  if (run.input.kind !== "trigger") throw new Error("told of something else");
  const { event: what, document } = run.input;
  const { id, _meta: meta } = JSON.parse(document);
  const happened = { version: Number(meta.version), gone: what === "delete" };
  // A kill may come at any point.
  await setTimeout(randomInt(4));
  const path = `main/counts/${id}`;
  const { status, json, headers } = await documents(run, "GET", path);
  const before = status === 404 ? undefined : counted(json);
  const next = told(before, happened);
  if (next !== undefined) {
    const body: JsonObject = { ...next };
    const tag = headers?.["etag"] ?? "";
    const written =
      before === undefined
        ? await documents(run, "POST", "main/counts", { body: { id, ...body } })
        : await documents(run, "PUT", path, { body, headers: { "if-match": tag } });
    if (written.status >= 300) throw new Error(`not written: ${written.status}`);
  }
  await setTimeout(randomInt(4));
  if (randomInt(FAILS) === 0) return { kind: "retry", after: randomInt(300) };
  return { kind: "nothing" };
}

function counted(json: JsonObject) {
  const { count: times, last, gone, faults } = json;
  return {
    count: Number(times),
    last: Number(last),
    gone: gone === true,
    faults: isJsonObject(faults) || !Array.isArray(faults) ? [] : faults.map(String),
  };
}

const instance = await startInstance({
  fingerprint: "crash",
  realms: [
    {
      definition: {
        ...{ name: realm, origins: [], appConfig: {}, effective: { realm: {}, databases: {} } },
        ...{ collections, functions: [count] },
      },
      routes: [documentRoutes(`/v1/${realm}`, collections, clientEntrance)],
    },
  ],
  settings: readSettings(process.env),
  clock: systemClock,
  log: pino({ level: "fatal" }),
  runner: new InProcessRunner({ "main/count": handle }),
});
await instance.ready;
