/** What schema.json says of the fields that a comparison reads, in words. */
import { facetsAt } from "../../proofs/room.ts";
import { type Condition, readsDocument, valuesIn } from "../../rules/form/form.ts";
import type { Facets } from "../../schema/facets.ts";
import type { Place } from "../../schema/place.ts";
import { describeTypes, listed } from "../../settings/words.ts";

/** Values of an enumeration that a message lists. */
const MAX_LISTED = 12;

/** `document.status is one of 'open', 'closed'`; undefined where it says nothing. */
export function saidOf(condition: Condition, top: Place): string | undefined {
  const reads = [...valuesIn(condition)].filter(readsDocument);
  const fields = new Map(reads.map(({ root, path }) => [[root, ...path].join("."), path]));
  const sentences = [...fields].flatMap(([name, path]) => {
    const facets = facetsAt(top, path);
    const words = facets === undefined ? [] : wordsOf(facets);
    return words.length === 0 ? [] : [`${name} is ${words.join(" and ")}`];
  });
  return sentences.length === 0 ? undefined : sentences.join(", ");
}

function wordsOf({ values, limits, formats, patterns, types }: Facets): string[] {
  if (values !== undefined) {
    const some = [...values].slice(0, MAX_LISTED);
    const more = values.size > some.length ? " and others" : "";
    return [`${values.size === 1 ? "always" : "one of"} ${listed(some)}${more}`];
  }
  const limit = (name: Parameters<typeof limits.get>[0], words: (size: number) => string): string[] => {
    const size = limits.get(name);
    return size === undefined ? [] : [words(size)];
  };
  const said = [
    ...limit("minimum", (size) => `at least ${size}`),
    ...limit("exclusiveMinimum", (size) => `more than ${size}`),
    ...limit("maximum", (size) => `at most ${size}`),
    ...limit("exclusiveMaximum", (size) => `less than ${size}`),
    ...limit("minLength", (size) => `at least ${counted(size, "character")} long`),
    ...limit("maxLength", (size) => `at most ${counted(size, "character")} long`),
    ...limit("minItems", (size) => `a list of at least ${size}`),
    ...limit("maxItems", (size) => `a list of at most ${size}`),
    ...[...formats].map((format) => `in the format ${format}`),
    ...[...patterns].map((pattern) => `a text that fits ${pattern}`),
  ];
  if (said.length > 0) return said;
  if (types.size === 0) return ["nothing"];
  return types.has("integer") && !types.has("number") ? ["a whole number"] : [describeTypes(types)];
}

function counted(size: number, thing: string): string {
  return `${size} ${thing}${size === 1 ? "" : "s"}`;
}
