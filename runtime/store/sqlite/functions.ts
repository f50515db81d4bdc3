import { folding } from "../../filter/fold.ts";
import { timeZones } from "../../filter/zones.ts";
import type { Database } from "./driver.ts";

/**
 * SQL functions of ours, the same on every connection. Reader threads are made of text (see reader.ts), so that `define`
 * and the parts that it is given are self-contained: no imports, no names from outside.
 */
const parts = { folding, timeZones };

function define(database: Database, { folding, timeZones }: typeof parts): void {
  const fold = folding();
  /** Text without case (see filter/fold.ts); NULL stays NULL. */
  database.function("svc_fold", { deterministic: true }, (text) =>
    typeof text === "string" ? fold(text) : null,
  );

  const zones = timeZones();
  /** The local day, or the start of the local hour, that holds a stored date (see filter/zones.ts). */
  for (const [name, periodOf] of [
    ["svc_day", zones.dayOf],
    ["svc_hour", zones.hourOf],
  ] as const) {
    database.function(name, { deterministic: true }, (date, zone) => periodOf(`${zone}`, `${date}`));
  }
}

export function defineFunctions(database: Database): void {
  define(database, parts);
}

/** The same as text: the source of a function that takes a database. */
export const functionsSource = `(database) => {
  // Some bundlers wrap functions in calls of this, to keep their names.
  const __name = (named) => named;
  const parts = { ${Object.entries(parts)
    .map(([name, part]) => `${name}: ${part}`)
    .join(", ")} };
  (${define})(database, parts);
}`;
