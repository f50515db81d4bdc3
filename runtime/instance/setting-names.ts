import { closest } from "../suggest.ts";

/** What is said of a variable that is no setting. @param known names of all settings */
export function notASetting(name: string, known: readonly string[]): string {
  const meant = settingMeant(name, known);
  return `${name} is not a setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function settingMeant(name: string, known: readonly string[]): string | undefined {
  // A few have names that others give them, too, and so no prefix.
  const bare = name.replace(/^SVC_/, "");
  if (known.includes(bare)) return bare;
  const near = closest(name, known);
  if (near !== undefined) return near;
  const words = name.split("_");
  const longer = known.filter((each) => words.every((word) => each.split("_").includes(word)));
  return longer.length === 1 ? longer[0] : undefined;
}
