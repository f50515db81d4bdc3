/** What is exported and imported beside documents, on request. */
import { didYouMean } from "../../suggest.ts";
import { UsageError } from "../command.ts";

export const includable = ["users", "keys", "organizations"] as const;

export type Included = (typeof includable)[number];

/**
 * The words of `--include`: a list with commas, in any order.
 * @throws UsageError
 */
export function includedIn(given: string | undefined): ReadonlySet<Included> {
  const words = given === undefined ? [] : given.split(",").map((word) => word.trim());
  return new Set(words.map(included));
}

function included(word: string): Included {
  const found = includable.find((each) => each === word);
  if (found !== undefined) return found;
  if (word === "files")
    throw new UsageError("--include files: the bytes of files are moved by copy, and kept by backup");
  const hint = didYouMean(word, includable);
  throw new UsageError(
    `--include takes ${includable.join(", ")}, not ${JSON.stringify(word)}${hint === undefined ? "" : ` (${hint})`}`,
  );
}
