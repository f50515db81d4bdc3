import { isLocale } from "../../filter/search/locales.ts";
import { routeHeaders } from "../../http/headers.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { Access } from "../access.ts";

/**
 * The language that a `$search` is stemmed in (spec: Full-text search 4).
 * @param parameter `language`, a locale code, where it was sent
 * @returns a locale code; undefined: the index's default
 */
export function searchLanguage(
  parameter: string | undefined,
  access: Access,
  { headers }: Exchange,
): string | undefined {
  if (parameter !== undefined) return parameter;
  const { caller } = access;
  if (caller?.kind === "user") return caller.user.locale ?? undefined;
  return isNegotiated(parameter, access) ? firstLanguage(headers["accept-language"]) : undefined;
}

/** Whether `Accept-Language` has a say in it, so that answers vary by it. */
export function isNegotiated(parameter: string | undefined, { caller }: Access): boolean {
  return parameter === undefined && (caller === undefined || caller.kind === "anonymous");
}

/** The `Vary` of such answers. */
export function varyByLanguage({ accounts }: RealmDefinition): string {
  return `${routeHeaders("document", accounts?.cookie !== undefined).vary}, Accept-Language`;
}

/** Entries of the header that are looked at. */
const mostEntries = 50;

const entry = /^[\t ]*([^\t ;]+)[\t ]*(?:;[\t ]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[\t ]*)?$/i;

/**
 * The first language of an `Accept-Language` header, by quality (RFC 9110, 12.5.4); `*` and what is refused with `q=0`
 * are none. Undefined where it names none.
 */
function firstLanguage(header: string | undefined): string | undefined {
  let first: string | undefined;
  let best = 0;
  for (const text of (header ?? "").split(",", mostEntries)) {
    const [, language = "", quality = "1"] = entry.exec(text) ?? [];
    if (Number(quality) <= best || !isLocale(language)) continue;
    first = language;
    best = Number(quality);
  }
  return first;
}
