import { middle } from "../middle.ts";
import type { Asked } from "./client.ts";
import { type Setting, streamsOf } from "./run.ts";

/** Changes that were missed: as of a while, and nearly as many as are told again. */
const HISTORIES = [2_000, 7_500];
/** Of these are for all who were told of nothing else. */
const OWN = 3;

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
  if (changes > 5_000) await writer.batches(changes, "nobody");
  else await writer.oneByOne(changes, "nobody");
  await writer.oneByOne(OWN, "all");
  const open = async (asked: readonly Asked[], events = 0) => {
    const began = performance.timeOrigin + performance.now();
    const ready = await client.open(server.url, asked);
    const { at } = events === 0 ? { at: began + ready } : await client.expect(events);
    await client.cut();
    return { ready, told: Math.max(ready, at - began) };
  };
  const measured: Record<"answered" | "ready" | "told" | "times", number[]> = {
    answered: [],
    ready: [],
    told: [],
    times: [],
  };
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    // One alone reads the history, and is told of its own.
    const readings: number[] = [];
    for (let n = 0; n < 5; n += 1) readings.push((await open(told.slice(0, 1), OWN)).told);
    const reading = middle(readings);
    const opened = await open(anew);
    const silent = await open(untold);
    const all = await open(told, OWN * streams);
    if (round < 0) continue;
    measured.answered.push((silent.ready - opened.ready) / reading);
    measured.ready.push((all.ready - opened.ready) / reading);
    measured.told.push((all.told - opened.ready) / reading);
    measured.times.push(all.told / opened.ready);
  }
  const name = `${streams} resumes at once after ${changes} changes`;
  const beyond = "beyond opening as many anew, in readings of the history";
  report.add(`${name}, none for them: ready, ${beyond}`, middle(measured.answered), "at most 3");
  report.add(`${name}, ${OWN} for each: ready, ${beyond}`, middle(measured.ready), "at most 3");
  report.add(`${name}, ${OWN} for each: told, ${beyond}`, middle(measured.told), "");
  report.add(`${name}: told, against opening as many anew`, middle(measured.times), "");
}
