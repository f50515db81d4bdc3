import { cpuOf } from "../cpu.ts";
import { middle } from "../middle.ts";
import type { Asked } from "./client.ts";
import { type Setting, streamsOf } from "./setting.ts";

/** Changes that were missed: as of a while, and nearly as many as are told again. */
const HISTORIES = [2_000, 7_500];
/** Of these are for all who were told of nothing else. */
const OWN = 3;

/** How streams were opened: milliseconds until all were ready, and told of all that is for them; the server's CPU. */
interface Opened {
  readonly ready: number;
  readonly told: number;
  readonly cpu: number;
}

/** Every stream comes again at once, after changes of which a few are for all of them, or none. */
export async function resumes(setting: Setting): Promise<void> {
  for (const changes of HISTORIES) await afterChanges(setting, Math.round(changes * setting.scale));
}

async function afterChanges(setting: Setting, changes: number): Promise<void> {
  const { client, server, tokens, streams, writer, rounds, report } = setting;
  const anew = streamsOf(tokens, streams, () => ({ channel: "all" }));
  /** Those streams, as they come again. */
  const cutOff = async (asked: readonly Asked[]) => {
    await client.open(server.url, asked);
    const ids = await client.cut();
    return asked.map((each, at) => ({ ...each, resume: ids[at] }));
  };
  const told = await cutOff(anew);
  const untold = await cutOff(streamsOf(tokens, streams, () => ({ channel: "silence" })));
  await writer.batches(changes, "nobody");
  await writer.oneByOne(OWN, "all");
  const open = async (asked: readonly Asked[], events = 0): Promise<Opened> => {
    let [ready, told] = [0, 0];
    const cpu = await cpuOf(server, async () => {
      const began = performance.timeOrigin + performance.now();
      ready = await client.open(server.url, asked);
      told = events === 0 ? ready : Math.max(ready, (await client.expect(events)).at - began);
    });
    await client.cut();
    return { ready, told, cpu };
  };
  const measured: Record<"answered" | "ready" | "told" | "cpu", number[]> = {
    answered: [],
    ready: [],
    told: [],
    cpu: [],
  };
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    // One alone reads the history, and is told of its own.
    const readings: Opened[] = [];
    for (let n = 0; n < 5; n += 1) readings.push(await open(told.slice(0, 1), OWN));
    const reading = middle(readings.map((each) => each.told));
    const opened = await open(anew);
    const silent = await open(untold);
    const all = await open(told, OWN * streams);
    if (round < 0) continue;
    measured.answered.push((silent.ready - opened.ready) / reading);
    measured.ready.push((all.ready - opened.ready) / reading);
    measured.told.push((all.told - opened.ready) / reading);
    measured.cpu.push((all.cpu - opened.cpu) / middle(readings.map((each) => each.cpu)));
  }
  const name = `${streams} resumes at once after ${changes} changes`;
  const beyond = "beyond opening as many anew, in readings of the history";
  report.add(`${name}, none for them: ready, ${beyond}`, middle(measured.answered), "at most 3");
  report.add(`${name}, ${OWN} for each: ready, ${beyond}`, middle(measured.ready), "at most 3");
  report.add(`${name}, ${OWN} for each: told, ${beyond}`, middle(measured.told), "");
  report.add(`${name}, ${OWN} for each: CPU, ${beyond}`, middle(measured.cpu), "");
}
