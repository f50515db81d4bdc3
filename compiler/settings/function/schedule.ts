/** `schedule`: when a function runs by the clock. */
import { Cron } from "croner";
import { didYouMean } from "../../../runtime/suggest.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { text } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import { locate, type Path } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    readonly schedule?: Schedule;
  }
}

export interface Schedule {
  /** Five fields. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
  /** Of the cron line. */
  readonly span: Span;
}

const codes = {
  "schedule-cron": {
    severity: "error",
    summary: "A cron line that cannot be read.",
    message: "this is no cron line: {problem}",
    hint: "its five fields are minute, hour, day of the month, month and day of the week, as in '0 3 * * 1-5'",
    explanation:
      "A line has five fields with blanks between them. A field is `*`, a number, a list, a range, with steps (`*/15`); months and days of the week may be names (`JAN`, `MON`), and `L` is the last day.",
    wrong: { "function.yaml": "mode: event\nschedule: '0 25 * * *'" },
    right: { "function.yaml": "mode: event\nschedule: '0 23 * * *'" },
  },
  "schedule-never": {
    severity: "error",
    summary: "A cron line for a day that no year has.",
    message: "'{cron}' never comes",
    explanation: "The line can be read, and there is no such day.",
    wrong: { "function.yaml": "mode: event\nschedule: '0 3 31 2 *'" },
    right: { "function.yaml": "mode: event\nschedule: '0 3 L 2 *'" },
  },
  "schedule-timezone": {
    severity: "error",
    summary: "A time zone that nobody knows.",
    message: "there is no time zone '{timezone}'",
    explanation:
      "Time zones have the names of the IANA database, such as `Europe/Berlin`; without one it is `UTC`.",
    wrong: { "function.yaml": "mode: event\nschedule: { cron: '0 3 * * *', timezone: Europe/Berlim }" },
    right: { "function.yaml": "mode: event\nschedule: { cron: '0 3 * * *', timezone: Europe/Berlin }" },
  },
} as const satisfies Codes;

const changes = {
  "schedule-removed": {
    kind: "breaking",
    message: "does not run at {old} any longer",
    why: "What it did then is not done.",
  },
  "schedule-added": { kind: "additive", message: "runs at {new}", why: "What it does then was not done." },
  "schedule-changed": {
    kind: "additive",
    message: "ran at {old}, runs at {new}",
    why: "The same is done at other times.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const fires: FunctionCheck = ({ fn: { schedule: own }, file, faults }) => {
  if (own === undefined || faults.touch(file.path, ["schedule"])) return [];
  const { cron, timezone, span } = own;
  if (!isTimezone(timezone)) {
    const hint = didYouMean(timezone, ["UTC", ...Intl.supportedValuesOf("timeZone")]);
    return [diagnose("schedule-timezone", locate(file, ["schedule", "timezone"]), { timezone }, { hint })];
  }
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) {
    const problem = `it has ${fields.length === 1 ? "one field" : `${fields.length} fields`}, not five`;
    return [diagnose("schedule-cron", span, { problem })];
  }
  try {
    const next = new Cron(cron, { timezone, paused: true, mode: "5-part" }).nextRun();
    return next === null ? [diagnose("schedule-never", span, { cron })] : [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [diagnose("schedule-cron", span, { problem: error.message.replace(/^CronPattern: /, "") })];
  }
};

function isTimezone(name: string): boolean {
  // Offsets, which newer engines take, are no zones.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function timesOf({ schedule: own }: RealmFunction): string | undefined {
  return own && `'${own.cron}' (${own.timezone})`;
}

export const schedule = functionSetting({
  codes,
  changes,
  compare: (before, after, place, report) => {
    const where = `${place} schedule`;
    const [old, now] = [timesOf(before), timesOf(after)];
    if (old === now) return;
    if (now === undefined) report("schedule-removed", where, { old: old ?? "" });
    else if (old === undefined) report("schedule-added", where, { new: now });
    else report("schedule-changed", where, { old, new: now });
  },
  checks: [fires],
  read: ({ file, given }): Pick<RealmFunction, "schedule"> => {
    const line = given.find("schedule", text);
    const own = given.in("schedule");
    const cron = line ?? own.find("cron", text);
    if (cron === undefined) return {};
    const at: Path = line === undefined ? ["schedule", "cron"] : ["schedule"];
    return { schedule: { cron, timezone: own.read("timezone", text), span: locate(file, at) } };
  },
  definition: ({ fn: { mode, schedule: own } }) =>
    mode === "event" && own !== undefined ? { schedule: { cron: own.cron, timezone: own.timezone } } : {},
  effective: ({ fn: { mode, schedule: own } }) =>
    mode === "event"
      ? { schedule: own === undefined ? null : { cron: own.cron, timezone: own.timezone } }
      : {},
});
