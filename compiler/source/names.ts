import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";

type Level = "realm" | "database" | "collection" | "function";

const limits = { realm: 54, database: 63, collection: 63, function: 63 } as const;

/** What is wrong with the names of the folders in one folder: each for itself, and those that clash. */
export function nameProblems(level: Level, parent: string, names: readonly string[]): Diagnostic[] {
  const byLowerCase = new Map<string, string>();
  return names.flatMap((name) => {
    const span = fileSpan(parent === "" ? name : `${parent}/${name}`);
    const problem = nameProblem(level, name);
    if (problem !== undefined) return [diagnose("invalid-name", span, { name, level, problem })];
    const other = byLowerCase.get(name.toLowerCase());
    byLowerCase.set(name.toLowerCase(), name);
    return other === undefined ? [] : [diagnose("name-clash", span, { name, other })];
  });
}

function nameProblem(level: Level, name: string): string | undefined {
  if (level === "realm" && !/^[a-z][a-z0-9-]*$/.test(name)) {
    return "it may have a-z, 0-9 and -, and starts with a letter";
  }
  if (level !== "realm" && !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
    return "it may have letters, digits, _ and -, and starts with a letter";
  }
  if (name.length > limits[level])
    return `it has ${name.length} characters, at most ${limits[level]} are allowed`;
  if (level === "database" && /^(?:system$|sqlite)/i.test(name)) return "the name is reserved";
  return undefined;
}
