/** Documents that the new schema refuses, as they are or as their migrations make them. */
import { Unmigratable } from "../../../runtime/migrations/forms.ts";
import type { Reason } from "../../../runtime/migrations/tally.ts";
import { misfitsOf } from "../../../runtime/validation/details.ts";
import { narrowings } from "../../diff/narrowed.ts";
import { counted, type Finding, finding, verb } from "../finding.ts";
import type { Judge, Seen } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";

const unfit = "unfit";
/** Reasons that a message names. */
const MOST = 3;

/** @param isChanged whether the schema is another one: otherwise what has no migrations to come is as it was */
export function unfitJudge(sides: CollectionSides, isChanged: boolean): Judge {
  const { realm, place, old, now, definition } = sides;
  return {
    looks: true,
    look(seen, tallies) {
      if (!isChanged && seen.form >= now.form) return;
      const reasons = reasonsOf(seen);
      if (reasons.length > 0) tallies.add(unfit, seen.id, reasons);
    },
    findings(tallies) {
      const tally = tallies.of(unfit);
      if (tally.count === 0) return [];
      const { count, reasons } = tally;
      const details = reasons.map((reason) => ({ ...reason }));
      const words = inWords(reasons);
      const message = `${counted(count)} ${verb(count, "does", "do")} not fit the new schema: ${words}`;
      const found = finding("documents-unfit", spotOf(sides, "schema"), tally, message, { details });
      return [found, ...missing(count)];
    },
  };

  function reasonsOf({ newest, form }: Seen): readonly Pick<Reason, "path" | "reason">[] {
    if (newest instanceof Unmigratable) return [{ path: "", reason: newest.message }];
    const found = misfitsOf(definition, newest.members).map(({ path, reason }) => ({
      path: path.replace(/\.\d+(?=\.|$)/g, "[]"),
      reason: form < now.form ? `${reason}, after its migrations` : reason,
    }));
    const keys = new Set<string>();
    // Elements of one list are one reason.
    return found.filter(({ path, reason }) => {
      const key = `${path} ${reason}`;
      const isNew = !keys.has(key);
      keys.add(key);
      return isNew;
    });
  }

  function missing(count: number): readonly Finding[] {
    if (now.form > old.form) return [];
    const reasons = narrowings(old.collection.schema, now.collection.schema);
    if (reasons.length === 0) return [];
    const details = reasons.map(({ field, message }) => ({ path: field, reason: message }));
    const message = `the schema refuses what it took, and no migration follows: realmc migration new ${realm}/${place} <name>`;
    return [finding("migration-missing", spotOf(sides, "schema"), { count }, message, { details })];
  }
}

/** `priority is required (12), status must be one of open, done (3)`. */
function inWords(reasons: readonly Reason[]): string {
  const named = reasons
    .slice(0, MOST)
    .map(({ path, reason, count }) => `${path === "" ? "" : `${path} `}${reason} (${count})`);
  const left = reasons.length - named.length;
  return [...named, ...(left > 0 ? [`${left} more`] : [])].join("; ");
}
