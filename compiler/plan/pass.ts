/** One pass over the documents of a collection, in which every judge looks at each of them once. */
import { setTimeout } from "node:timers/promises";
import { Tallies } from "../../runtime/migrations/tally.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import type { Finding } from "./finding.ts";
import type { HeldDocument } from "./held.ts";
import { type Judge, Seen } from "./judge.ts";
import type { PlanState } from "./state.ts";

/** Milliseconds between two times that what was counted is kept. */
const KEEP_EVERY = 5_000;
/** Of the time that a batch takes, how much is left to others after it. */
const REST = 0.25;
/** Milliseconds of rest that are worth a timer. */
const SHORTEST = 2;

export interface PassOptions {
  /** In the state. */
  readonly key: string;
  readonly judges: readonly Judge[];
  /** Of the new configuration; absent where no judge asks for the newest form. */
  readonly definition: CollectionDefinition | undefined;
  /** The form of documents that do not say theirs. */
  readonly form: number;
  /** @param after an id */
  readonly documents: (after: string | undefined) => AsyncIterable<readonly HeldDocument[]>;
  /** Documents that are looked at at most. */
  readonly sample: number | undefined;
  readonly state: PlanState;
  readonly progress: (documents: number) => void;
}

/**
 * Has the judges look at all documents; goes on after those that they have looked at.
 * @returns what they find, which may take what judges of other collections have seen
 */
export async function judged(options: PassOptions): Promise<() => readonly Finding[]> {
  const { key, judges, documents, sample = Number.POSITIVE_INFINITY, state, progress } = options;
  const before = state.progressOf(key);
  const tallies = Tallies.read(before?.tallies);
  let { after, documents: count, characters } = before ?? { after: undefined, documents: 0, characters: 0 };
  const keep = (done: boolean) =>
    state.keep(key, { done, after, documents: count, characters, tallies: tallies.written() }, !done);
  const wholly = judges.filter((judge) => judge.wholly === true);
  if (before?.done !== true) {
    let kept = performance.now();
    let rest = 0;
    let begun = performance.now();
    for await (const batch of documents(after)) {
      for (const stored of batch) {
        count += 1;
        characters += stored.text.length;
        after = stored.id;
        look(options, count <= sample ? judges : wholly, stored, tallies);
      }
      progress(count);
      if (count >= sample && wholly.length === 0) break;
      const now = performance.now();
      if (now - kept > KEEP_EVERY) {
        keep(false);
        kept = now;
      }
      rest += (now - begun) * REST;
      if (rest >= SHORTEST) {
        await setTimeout(rest);
        rest = 0;
      }
      begun = performance.now();
    }
    keep(true);
  }
  const extent = { documents: count, characters };
  return () => judges.flatMap((judge) => judge.findings(tallies, extent));
}

function look(
  { definition, form }: PassOptions,
  judges: readonly Judge[],
  stored: HeldDocument,
  tallies: Tallies,
): void {
  const looking = judges.filter(({ looks }) => looks);
  if (looking.length === 0) return;
  const seen = new Seen(stored, stored.form ?? form, definition);
  for (const judge of looking) judge.look(seen, tallies);
}
