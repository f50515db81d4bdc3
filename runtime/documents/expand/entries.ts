/** One entry of an `expand` parameter (spec: Reference expansion 1). */
export interface Entry {
  /** Names of references, outermost first: one a level. */
  readonly path: readonly string[];
  /** The paths in its parentheses; undefined where there are none and the whole document is asked for. */
  readonly fields: readonly string[] | undefined;
}

const entry = /^([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?:\(([^()]+)\))?$/;

/** The texts of the entries: split at the commas outside parentheses. */
export function entryTexts(text: string): readonly string[] {
  const texts: string[] = [];
  let begin = 0;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "(") inside = true;
    else if (character === ")") inside = false;
    else if (character === "," && !inside) {
      texts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  texts.push(text.slice(begin));
  return texts;
}

/** Reads one of them; undefined where it is malformed. */
export function parseEntry(text: string): Entry | undefined {
  const [, path, selection] = entry.exec(text) ?? [];
  if (path === undefined) return undefined;
  const fields = selection?.split(",");
  if (fields?.some((field) => field.split(".").includes(""))) return undefined;
  return { path: path.split("."), fields };
}
