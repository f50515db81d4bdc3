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

/** The first language of an `Accept-Language` header; undefined where it names none. */
function firstLanguage(header: string | undefined): string | undefined {
  const [, language] = /^[\t ]*([^\t ,;]+)/.exec(header ?? "") ?? [];
  return language !== undefined && isLocale(language) ? language : undefined;
}
