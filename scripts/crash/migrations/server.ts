/** A server process: `<realm> [<documents a second>]`, which migrates `main/people` beside its requests. */
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { systemClock } from "../../../runtime/clock.ts";
import { clientEntrance } from "../../../runtime/documents/entrance.ts";
import { documentRoutes } from "../../../runtime/documents/routes/table.ts";
import { startInstance } from "../../../runtime/instance/instance.ts";
import { readSettings } from "../../../runtime/instance/settings.ts";
import { migrateCollection } from "../../../runtime/migrations/pass.ts";
import { QueryTimeout } from "../../../runtime/store/contract/errors.ts";
import { people } from "./people.ts";

const [, , realm = "", perSecond] = process.argv;
const rate = perSecond === undefined ? undefined : Number(perSecond);
const definition = people(realm);
const collections = [definition];

const instance = await startInstance({
  fingerprint: "crash",
  realms: [
    {
      definition: {
        ...{ name: realm, origins: [], appConfig: {}, effective: { realm: {}, databases: {} } },
        ...{ collections, migrations: "manual" },
      },
      routes: [documentRoutes(`/v1/${realm}`, collections, clientEntrance)],
    },
  ],
  settings: readSettings(process.env),
  clock: systemClock,
  log: pino({ level: "fatal" }),
});
await instance.ready;
const store = instance.store(realm);
// Another process has it until it is through, or a while after it died.
while (await isTaken()) await setTimeout(100);

async function isTaken(): Promise<boolean> {
  try {
    const options = { store, definition, authored: false, clock: systemClock, rate };
    return (await migrateCollection(options)) === "taken";
  } catch (error) {
    // MongoDB lets go of what a killed process had in a transaction after a minute, and queries end before that.
    if (error instanceof QueryTimeout) return true;
    throw error;
  }
}
