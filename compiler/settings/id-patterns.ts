/** Patterns of ids beside the envelope that every id must fit (configuration.md, `custom_id`). */
import { isId } from "../../runtime/ids.ts";
import { type Part, parsePattern, UnsupportedPattern } from "../../runtime/validation/linear-parse.ts";

/** Why only ids match which the envelope refuses; undefined where some may, or it cannot be told. */
export function outsideIds(pattern: string): string | undefined {
  try {
    const part = parsePattern(pattern);
    return refusedPart(part) ?? refusedStart(part);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    return undefined;
  }
}

/** Characters that ids may hold behind their first. */
const characters = Array.from({ length: 128 }, (_, point) => String.fromCharCode(point)).filter((character) =>
  isId(`a${character}`),
);

function matching(source: string): readonly string[] {
  const form = new RegExp(`^${source}$`, "u");
  return characters.filter((character) => form.test(character));
}

/** Something in every match that no id holds. */
function refusedPart(part: Part): string | undefined {
  switch (part.kind) {
    case "one":
      return matching(part.source).length === 0
        ? `it asks for ${shown(part.source)}, which no id holds`
        : undefined;
    case "sequence":
      return part.of.map(refusedPart).find((found) => found !== undefined);
    case "either": {
      const found = part.of.map(refusedPart);
      return found.includes(undefined) ? undefined : found[0];
    }
    case "repeat":
      if (part.min > 128) return `it asks for ${part.min} characters, and ids have at most 128`;
      return part.min > 0 ? refusedPart(part.of) : undefined;
    default:
      return undefined;
  }
}

/** A pattern that is anchored at the start, and begins with what no id begins with. */
function refusedStart(part: Part): string | undefined {
  if (part.kind === "either") {
    const found = part.of.map(refusedStart);
    return found.includes(undefined) ? undefined : found[0];
  }
  if (part.kind !== "sequence" || part.of[0]?.kind !== "start") return undefined;
  const first = part.of[1];
  const one = first?.kind === "repeat" && first.min > 0 ? first.of : first;
  if (one?.kind !== "one") return undefined;
  const begins = matching(one.source).some((character) => isId(`${character}a`));
  return begins ? undefined : `it begins with ${shown(one.source)}, with which no id begins`;
}

function shown(source: string): string {
  return `'${source}'`;
}
