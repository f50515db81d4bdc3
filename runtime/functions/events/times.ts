/** The times of a cron line, in epoch milliseconds. */
import type { Cron } from "croner";
import type { ScheduleDefinition } from "../../realm/functions.ts";
import { WallClock } from "./wall-clock.ts";

export interface Times {
  /** The first after `now`; undefined: there is none. */
  after(now: number): number | undefined;
  /** The last that is not after `now`; undefined: there is none. */
  until(now: number): number | undefined;
}

/** Reads cron lines. The library is loaded where something is scheduled. */
export async function timesReader(): Promise<(schedule: ScheduleDefinition) => Times> {
  const { Cron } = await import("croner");
  return ({ cron, timezone }) => {
    const line = (zone: string) => new Cron(cron, { timezone: zone, paused: true, mode: "5-part" });
    return isFixed(cron) ? fixedTimes(line("UTC"), new WallClock(timezone)) : runningTimes(line(timezone));
  };
}

/** Whether a line names its hours and minutes, whatever form it names them in. */
function isFixed(cron: string): boolean {
  const [minute = "*", hour = "*"] = cron.trim().split(/\s+/);
  return !/[*?]/.test(minute + hour);
}

/**
 * Times that are named come once on each of their days: the first time where the clock is set back, and where it leaves them
 * out, right after that. Those that come together so are one.
 * @param line of what the clock on the wall shows, as if that were UTC
 */
function fixedTimes(line: Cron, clock: WallClock): Times {
  return {
    after(now) {
      for (let shown: number | undefined = clock.at(now); ; ) {
        shown = line.nextRun(new Date(shown))?.getTime();
        if (shown === undefined) return undefined;
        const time = clock.firstShowing(shown);
        if (time > now) return time;
      }
    },
    until(now) {
      for (let before = clock.latest(now) + 1; ; ) {
        const [shown] = line.previousRuns(1, new Date(before));
        if (shown === undefined) return undefined;
        before = shown.getTime();
        const time = clock.firstShowing(before);
        if (time <= now) return time;
      }
    },
  };
}

/** Every hour or minute is one that goes by: it comes twice where the clock is set back, and not where it leaves it out. */
function runningTimes(line: Cron): Times {
  return {
    after: (now) => line.nextRun(new Date(now))?.getTime(),
    until: (now) => line.previousRuns(1, new Date(now + 1))[0]?.getTime(),
  };
}
