import { ApiError, type Detail } from "../../errors.ts";
import { queryProblemsNamed } from "../../http/parameters.ts";
import type { CollectionDefinition, ExpandLimits } from "../../realm/definition.ts";
import { didYouMean } from "../../suggest.ts";
import { type Entry, entryTexts, parseEntry } from "./entries.ts";
import type { Reference, References } from "./references.ts";
import { type Selection, selectionOf } from "./selection.ts";

/** What one read expands. */
export interface Plan {
  readonly branches: readonly Branch[];
}

/** A reference to follow, and what is shown of what it leads to. */
export interface Branch {
  readonly reference: Reference;
  /** Undefined: whole documents. */
  readonly selection: Selection | undefined;
  /** The second level. */
  readonly nested: readonly Branch[];
}

interface OpenBranch extends Branch {
  selection: Selection | undefined;
  readonly nested: OpenBranch[];
}

/** Characters of what a client sent that are repeated to them. */
const charactersNamed = 100;

const grammar = "is malformed: entries are name, name(field,field), name.nested or name.nested(field)";

/**
 * Reads the value of `expand` (spec: Reference expansion 1, 2, 5).
 * @throws ApiError `invalid_expand` with a detail per problem, whose path names the part: `expand.author(nmae)`
 */
export function readPlan(text: string, references: References, limits: ExpandLimits): Plan {
  const problems = new Problems();
  const branches: OpenBranch[] = [];
  const paths = new Set<string>();
  const texts = entryTexts(text);
  if (texts.length > limits.maxPaths) {
    problems.add("", `must have at most ${limits.maxPaths} entries; it has ${texts.length}`);
  }
  // More than these are refused in any case.
  for (const [at, sent] of texts.slice(0, Math.max(queryProblemsNamed, limits.maxPaths)).entries()) {
    const entry = parseEntry(sent);
    if (sent === "") problems.add("", text === "" ? "must name a reference" : `entry ${at + 1} is empty`);
    else if (entry === undefined) problems.add(sent, grammar);
    else {
      const path = entry.path.join(".");
      if (paths.has(path)) problems.add(path, "is repeated");
      paths.add(path);
      if (entry.path.length > limits.maxDepth) problems.add(path, tooDeep(limits.maxDepth));
      else addEntry(branches, references, entry, problems);
    }
  }
  problems.throw();
  return { branches };
}

function tooDeep(levels: number): string {
  return levels === 1 ? "only one level can be expanded" : `at most ${levels} levels can be expanded`;
}

function addEntry(
  branches: OpenBranch[],
  references: References,
  { path, fields }: Entry,
  problems: Problems,
): void {
  let level = branches;
  let known = references;
  let branch: OpenBranch | undefined;
  for (const [at, name] of path.entries()) {
    const reference = known.get(name);
    if (reference === undefined) {
      problems.add(path.slice(0, at + 1).join("."), unknown("reference", name, known.keys()));
      return;
    }
    branch = level.find((each) => each.reference === reference);
    if (branch === undefined) {
      branch = { reference, selection: undefined, nested: [] };
      level.push(branch);
    }
    level = branch.nested;
    known = reference.nested;
  }
  if (branch === undefined || fields === undefined) return;
  const { definition } = branch.reference.target;
  for (const field of fields) {
    if (isSelectable(definition, field)) continue;
    problems.add(`${path.join(".")}(${field})`, () =>
      unknown("field", field, Object.keys(definition.fields)),
    );
  }
  branch.selection = selectionOf(["id", ...fields]);
}

function isSelectable({ fields }: CollectionDefinition, path: string): boolean {
  return path === "id" || path === "_meta" || Object.hasOwn(fields, path);
}

function unknown(what: "reference" | "field", name: string, candidates: Iterable<string>): string {
  const hint = didYouMean(name, candidates);
  return hint === undefined ? `unknown ${what}` : `unknown ${what}; ${hint}`;
}

class Problems {
  readonly #details: Detail[] = [];

  /** @param part as the client wrote it; empty: the whole parameter */
  add(part: string, reason: string | (() => string)): void {
    if (this.#details.length === queryProblemsNamed) return;
    const path = part === "" ? "expand" : `expand.${part.slice(0, charactersNamed)}`;
    this.#details.push({ path, reason: typeof reason === "string" ? reason : reason() });
  }

  throw(): void {
    if (this.#details.length === 0) return;
    throw new ApiError("invalid_expand", "The references to expand are invalid.", { details: this.#details });
  }
}
