/**
 * A copy for `copy.test.ts` that stands still in the middle, to be killed there: `<from> <to> <realm>`. Says `half` once a
 * batch has been copied.
 */
import { systemClock } from "../../clock.ts";
import { openStores } from "../../store/engines.ts";
import { parseLocation } from "../../store/location.ts";
import { copyRealm } from "../copy/copy.ts";
import { shopModule } from "./fixture.ts";

const [from = "", to = "", realm = ""] = process.argv.slice(2);

async function open(text: string, setting: string) {
  const location = parseLocation(text);
  if (location === undefined) throw new Error(`${setting} is no location`);
  const stores = await openStores({
    location,
    setting,
    clock: systemClock,
    queryTime: 5_000,
    holder: "a copy",
  });
  return stores.open(realm);
}

// Keeps the process alive while nothing happens.
setInterval(() => undefined, 60_000);
await copyRealm({
  definition: shopModule({ realm }).definition,
  source: await open(from, "--from"),
  target: await open(to, "--to"),
  from,
  intoNonEmpty: false,
  clock: systemClock,
  progress() {
    process.stdout.write("half\n");
    return new Promise<void>(() => undefined);
  },
});
