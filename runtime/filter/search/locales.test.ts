import { expect, test } from "vitest";
import { isLocale, languageOf } from "./locales.ts";

test.each(["en", "de-AT", "de_AT", "zh-Hant-TW", "pt_BR", "sr-Latn", "nb", "EN-gb", "ast", "sl-rozaj-biske"])(
  "%s is a locale code",
  (text) => expect(isLocale(text)).toBe(true),
);

test.each([
  "",
  "none",
  "e",
  "english language",
  "en-",
  "-en",
  "en--GB",
  "de-AT-",
  "ж",
  "en;q=0.5",
  "*",
  "en".repeat(99),
])("%j is no locale code", (text) => expect(isLocale(text)).toBe(false));

test.each([
  ["en", "en"],
  ["EN-gb", "en"],
  ["de_AT", "de"],
  ["zh-Hant-TW", "zh"],
  ["iw", "he"],
  ["deu", "de"],
  ["none", undefined],
  ["nonsense!", undefined],
])("the language of %s is %s", (locale, language) => expect(languageOf(locale)).toBe(language));
