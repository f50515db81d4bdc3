/** What `migrate` tells of each collection. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../json.ts";
import type { PassEnd } from "../migrations/pass.ts";
import { NAMED, Tallies } from "../migrations/tally.ts";
import type { Surroundings } from "./command.ts";

/** Of one collection. */
export interface MigrateResult {
  readonly realm: string;
  readonly collection: string;
  readonly migrations: readonly string[];
  /** `taken`: another process migrates it. Of a dry run always `done`. */
  readonly end: PassEnd;
  /** Documents that are in the form asked for now, or would be. */
  readonly done: number;
  readonly total: number;
  readonly refused: number;
  /** Why, the most frequent first: as far as this run has met them. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  /** The first of them. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  /** Documents that this run wrote; absent of a dry run. */
  readonly written?: number;
  /** Of a dry run: documents that would be written, and the first of them. */
  readonly writes?: number;
  readonly examples?: readonly {
    readonly id: string;
    readonly before: JsonObject;
    readonly after: JsonObject;
  }[];
}

/** Documents that stay as they are, as far as a run has met them. */
export class Refusals {
  readonly #tallies = new Tallies();
  readonly #failed: { readonly id: string; readonly reason: string }[] = [];

  add(id: string, reason: string): void {
    this.#tallies.add("refused", id, [{ path: "", reason }]);
    if (this.#failed.length < NAMED) this.#failed.push({ id, reason });
  }

  get count(): number {
    return this.#tallies.of("refused").count;
  }

  told(): Pick<MigrateResult, "failed" | "reasons"> {
    const { reasons } = this.#tallies.of("refused");
    return { reasons: reasons.map(({ reason, count }) => ({ reason, count })), failed: this.#failed };
  }
}

export function tellResult(result: MigrateResult, { out, err }: Surroundings): void {
  const { realm, collection, migrations, end, done, total, refused, failed, writes, examples } = result;
  for (const { id, before, after } of examples ?? []) {
    out(`${realm} ${collection} ${id}`);
    for (const line of difference(before, after)) out(`  ${line}`);
  }
  for (const { id, reason } of failed) err(`${realm} ${collection} ${id}: ${reason}`);
  if (end === "taken") err(`${realm} ${collection}: another process migrates it`);
  const count = `${writes ?? done} of ${total} documents${writes === undefined ? "" : " would be migrated"}`;
  out(`${realm} ${collection}: ${migrations.join(", ")}: ${count}, ${refused} refused`);
}

/** Member by member. */
function difference(before: JsonObject, after: JsonObject): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (isDeepStrictEqual(old, now)) return [];
    return [
      ...(old === undefined ? [] : [`- ${name}: ${JSON.stringify(old)}`]),
      ...(now === undefined ? [] : [`+ ${name}: ${JSON.stringify(now)}`]),
    ];
  });
}
