/** Migrations that are yet to come, and what they mean for the way back. */
import { migrationName, migrationNumber } from "../../../runtime/realm/migrations.ts";
import { narrowings } from "../../diff/narrowed.ts";
import { estimated } from "../estimate.ts";
import { counted, type Finding, finding, type Severity, verb } from "../finding.ts";
import type { Extent, Judge } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";

const pending = "pending";
const spot = "_migrations";

export function migrationsJudge(sides: CollectionSides): Judge {
  const { now } = sides;
  return {
    looks: now.form > 0,
    look({ id, form }, tallies) {
      if (form < now.form) tallies.add(pending, id);
    },
    findings(tallies, extent) {
      return [...pendingIn(tallies.of(pending)), ...earlyIn(extent), ...unsafeIn(extent)];
    },
  };

  function pendingIn(tally: { readonly count: number; readonly ids: readonly string[] }): readonly Finding[] {
    if (tally.count === 0) return [];
    const mode = now.realm.migrations ?? "start";
    const { severity, what } = modes[mode];
    const seconds = estimated.migration(tally.count);
    const message = `${counted(tally.count)} will be migrated: ${what}`;
    return [finding("migration-pending", spotOf(sides, spot), tally, message, { severity, seconds })];
  }

  function earlyIn({ documents }: Extent): readonly Finding[] {
    const { old, definition } = sides;
    const known = new Set(old.collection.migrations?.map(({ number }) => number));
    const early = (definition.migrations ?? []).filter(
      ({ number }) => Number(number) < old.form && !known.has(number),
    );
    if (early.length === 0) return [];
    const names = early.map(migrationName);
    const [ran, next] = [migrationNumber(old.form), migrationNumber(old.form + 1)];
    const message = `${names.join(", ")} ${verb(early.length, "is", "are")} new, and ${ran} has run: the server would not start; number what is new from ${next} on`;
    const details = names.map((migration) => ({ migration }));
    return [
      finding("migration-out-of-order", spotOf(sides, spot), { count: documents }, message, { details }),
    ];
  }

  function unsafeIn({ documents }: Extent): readonly Finding[] {
    const { old, definition } = sides;
    const final = (definition.migrations ?? []).filter(
      ({ number, back }) => Number(number) > old.form && back === undefined,
    );
    const unsafe = (why: string) => {
      const message = `${why}: a rollback needs a backup, and old and new servers cannot share the store. ${threeSteps}`;
      const details = final.map((each) => ({ migration: migrationName(each) }));
      return [finding("rollback-unsafe", spotOf(sides, spot), { count: documents }, message, { details })];
    };
    if (final.length > 0) return unsafe(`${final.map(migrationName).join(", ")} has no way back`);
    if (now.form > old.form || documents === 0) return [];
    const [before, after] = [old.collection.schema, now.collection.schema];
    const isBoth = narrowings(before, after).length > 0 && narrowings(after, before).length > 0;
    return isBoth ? unsafe("the old schema refuses what the new one takes, and the other way round") : [];
  }
}

const threeSteps =
  "Or go in three steps: widen (a schema that takes both forms), migrate (with a way back), narrow (when no old server runs)";

const modes: Readonly<
  Record<"start" | "background" | "manual", { readonly severity: Severity; readonly what: string }>
> = {
  start: { severity: "blocking", what: "the server is not ready before that is done" },
  background: { severity: "safe", what: "the server does it beside its requests" },
  manual: {
    severity: "incompatible",
    what: "until realmc migrate has run, readers get them as they are stored",
  },
};
