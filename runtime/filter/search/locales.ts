/** Locale codes are shorter; nobody's `?language=` is looked at beyond. */
const LONGEST = 64;

/**
 * Whether a text is a locale code: a language tag of BCP 47 such as `en`, `de-AT` or `zh-Hant-TW`, also with `_`
 * between its parts. `none` is not one.
 */
export function isLocale(text: string): boolean {
  return canonical(text) !== undefined;
}

/**
 * The language of a locale code: its first part, in the form that the language registry prefers (`iw` is `he`);
 * undefined for what is no locale code.
 */
export function languageOf(locale: string): string | undefined {
  const [language] = (canonical(locale) ?? "").split("-");
  return language === "" ? undefined : language;
}

function canonical(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return Intl.getCanonicalLocales(text.replaceAll("_", "-"))[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
