/** How fast migrations go, as administrators say while they run. */
import { type Clock, timestamp } from "../clock.ts";
import { isJsonObject, objectIn } from "../json.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { migrationShape } from "./records.ts";

export interface Pace {
  /** Documents in a second at most. */
  readonly rate?: number;
  /** Nothing is migrated until this ends. */
  readonly paused?: true;
}

/** What is said of one: `null` and `false` take it back. */
export interface PaceChange {
  readonly rate?: number | null | undefined;
  readonly paused?: boolean | undefined;
}

/** In `_svc.migrations`, of all collections; their own records have names with a dot. */
export const paceRecord = "pace";

/** Of migrations by their numbers; of those that are not named nothing was said. */
export async function pacesOf(store: Store): Promise<ReadonlyMap<string, Pace>> {
  return pacesIn(await store.collection(migrationShape.name).get(paceRecord, "live"));
}

/** The pace of migrations that run together: the slowest one's. */
export function together(paces: ReadonlyMap<string, Pace>, numbers: readonly string[]): Pace {
  const own = numbers.flatMap((number) => paces.get(number) ?? []);
  const rates = own.flatMap(({ rate }) => rate ?? []);
  return {
    ...(rates.length > 0 && { rate: Math.min(...rates) }),
    ...(own.some(({ paused }) => paused === true) && { paused: true }),
  };
}

/** What becomes of a pace. */
export function changed(pace: Pace, { rate = pace.rate, paused = pace.paused }: PaceChange): Pace {
  return { ...(typeof rate === "number" && { rate }), ...(paused === true && { paused }) };
}

export function pacesIn(found: StoredDocument | undefined): ReadonlyMap<string, Pace> {
  const paces = (found && objectIn(found.text))?.["paces"];
  if (!isJsonObject(paces)) return new Map();
  return new Map(
    Object.entries(paces).map(([number, value]) => {
      const { rate, paused } = isJsonObject(value) ? value : {};
      return [number, changed({}, { rate: typeof rate === "number" ? rate : null, paused: paused === true })];
    }),
  );
}

export function writePaces(paces: ReadonlyMap<string, Pace>, version: number, clock: Clock): DocumentWrite {
  const now = clock.now();
  const members = { id: paceRecord, changed_at: timestamp(now), paces: Object.fromEntries(paces) };
  return { id: paceRecord, version, text: JSON.stringify(members), createdAt: now };
}
