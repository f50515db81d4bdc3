/** What is exported and imported beside documents, on request. */
import { didYouMean } from "../../suggest.ts";
import { UsageError } from "../command.ts";

export const includable = ["users", "keys", "organizations", "files"] as const;

export type Included = (typeof includable)[number];

/**
 * The words of `--include`: a list with commas, in any order.
 * @throws UsageError
 */
export function includedIn(given: string | undefined): ReadonlySet<Included> {
  const words = given === undefined ? [] : given.split(",").map((word) => word.trim());
  return new Set(words.map(included));
}

/**
 * Servers have no routes for any of it.
 * @throws UsageError
 */
export function requireStore(all: ReadonlySet<Included>, does: "hands out" | "takes"): void {
  if (all.size === 0) return;
  if ([...all].every((word) => word === "files"))
    throw new UsageError(
      `--include files goes with --store alone: through a server files are sent and fetched one by one, as documents name them`,
    );
  throw new UsageError(`--include goes with --store alone: no server ${does} hashes of passwords and keys`);
}

function included(word: string): Included {
  const found = includable.find((each) => each === word);
  if (found !== undefined) return found;
  const hint = didYouMean(word, includable);
  throw new UsageError(
    `--include takes ${includable.join(", ")}, not ${JSON.stringify(word)}${hint === undefined ? "" : ` (${hint})`}`,
  );
}
