import { slugLength } from "../contract/checks.ts";
import { isIn } from "../filter/algebra.ts";
import type { Store } from "../store/contract/store.ts";
import { collections, organizationFields } from "./collections.ts";

import { readOrganization } from "./records.ts";

/** Slugs looked for in one query. */
const atOnce = 50;

/** Letters of the Latin alphabet that are no letter with an accent. */
const folded: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};

/**
 * What an organization without a slug of its own is called: its name in lower-case ASCII, accents left out, letters of
 * other scripts too; `org` where nothing is left.
 */
export function slugFrom(name: string): string {
  const ascii = name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[ßæœøđðþłı]/g, (letter) => folded[letter] ?? "")
    .replace(/['’]|(?![a-z0-9])[\p{L}\p{M}\p{N}]/gu, "");
  return shortened(ascii.replace(/[^a-z0-9]+/g, "-").replace(/^-/, ""), slugLength) || "org";
}

function shortened(slug: string, length: number): string {
  return slug.slice(0, length).replace(/-$/, "");
}

/** The first of `base`, `base-2`, `base-3`, … that is free, or with hundreds taken, one of those that follow them. */
export async function freeSlug(store: Store, base: string): Promise<string> {
  // Always: `taken` is, or is 0, and where `free` is given, that one is free.
  let [taken, free] = [0, Number.POSITIVE_INFINITY];
  while (free - taken > 1) {
    const numbers = numbersBetween(taken, free);
    const held = await slugsAmong(
      store,
      numbers.map((number) => numbered(base, number)),
    );
    const found = numbers.find((number) => !held.has(numbered(base, number)));
    taken = numbers.filter((number) => found === undefined || number < found).at(-1) ?? taken;
    free = found ?? free;
  }
  return numbered(base, free);
}

/** Numbers to look at: the first ones, else ever larger ones until one is free, else ones that narrow the gap. */
function numbersBetween(taken: number, free: number): readonly number[] {
  const from = (make: (place: number) => number) => Array.from({ length: atOnce }, (_, at) => make(at + 1));
  if (free === Number.POSITIVE_INFINITY) {
    return taken === 0 ? from((place) => place) : from((place) => taken * 2 ** place).slice(0, 20);
  }
  const step = Math.max(1, Math.floor((free - taken) / atOnce));
  return from((place) => taken + place * step).filter((number) => number < free);
}

function numbered(base: string, number: number): string {
  if (number === 1) return base;
  const suffix = `-${number}`;
  return `${shortened(base, slugLength - suffix.length)}${suffix}`;
}

async function slugsAmong(store: Store, slugs: readonly string[]): Promise<ReadonlySet<string | null>> {
  const found = await store.collection(collections.organizations).find({
    filter: isIn(organizationFields.slug_key, slugs),
    visibility: "live",
    limit: slugs.length,
    skip: 0,
  });
  return new Set(found.map((document) => readOrganization(document).record.slug_key));
}
