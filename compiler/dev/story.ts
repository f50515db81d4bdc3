import type { Explanation } from "./explain.ts";

export interface Outcome {
  /** Another server answers; the one before runs other handlers, or the same code. */
  readonly served: "restarted" | "renewed" | "same";
  /** What was said to be wrong is not any more. */
  readonly mended: boolean;
}

/** Columns that one line may have. */
const width = 110;

/** What was rebuilt and why, for a terminal: one line where it fits, nothing where there is nothing to say. */
export function story(what: Explanation, { served, mended }: Outcome, elapsed: string): readonly string[] {
  const { effects, changed, added, removed, without } = what;
  const ends = [
    ...(added.length > 0 ? [`${realms(added)} added`] : []),
    ...(removed.length > 0 ? [`${realms(removed)} removed (what is stored stays)`] : []),
    ...(served === "restarted"
      ? [`${changed.length > 0 ? `${realms(changed)} ` : ""}restarted in ${elapsed}`]
      : []),
    ...(served === "renewed" ? [`in new threads in ${elapsed}`] : []),
    ...(served === "same" && changed.length > 0 ? ["the server runs the same code"] : []),
  ];
  if (ends.length === 0) {
    if (without.length > 0) return [`${without.join(", ")}: nothing else comes of it`];
    return mended ? ["no problems any more; the server before goes on"] : [];
  }
  const line = [...effects, ...ends].join("; ");
  return line.length <= width ? [line] : [...effects, ends.join("; ")];
}

function realms(names: readonly string[]): string {
  return `${names.length === 1 ? "realm" : "realms"} ${names.join(", ")}`;
}
