/// <reference path="./snowball-stemmers.d.ts" />
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hindi } from "@orama/stemmers/indian";
import { stemmer as indonesian } from "@orama/stemmers/indonesian";
import { stemmer as lithuanian } from "@orama/stemmers/lithuanian";
import { stemmer as nepali } from "@orama/stemmers/nepali";
import { stemmer as sanskrit } from "@orama/stemmers/sanskrit";
import { stemmer as serbian } from "@orama/stemmers/serbian";
import { stemmer as statefulUkrainian } from "@orama/stemmers/ukrainian";
import snowball from "snowball-stemmers";
import { languageOf } from "./locales.ts";

/** Gives the stem of a word in lower case; never nothing, since nothing would separate words. */
export type Stemmer = (word: string) => string;

/** Snowball's own algorithms, by the first part of a locale code. */
const algorithms: Readonly<Record<string, string>> = {
  ar: "arabic",
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  hy: "armenian",
  it: "italian",
  nb: "norwegian",
  nl: "dutch",
  nn: "norwegian",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sl: "slovene",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
};

/**
 * The package's depends on the word before: a pattern of its remembers where its last match ended, until it fails once
 * more, as it does on this text.
 */
function ukrainian(word: string): string {
  statefulUkrainian("\u0430\u0431");
  return statefulUkrainian(word);
}

/** Languages that the package of Snowball's algorithms lacks; those of it join them when they are first asked for. */
const stemmers = new Map<string, Stemmer>([
  ["el", greek],
  ["hi", hindi],
  ["id", indonesian],
  ["lt", lithuanian],
  ["ne", nepali],
  ["sa", sanskrit],
  ["sr", serbian],
  ["uk", ukrainian],
]);

/** The stemmer of a locale's language; undefined for `none` and for locales without a language of their own. */
export function stemmerFor(locale: string): Stemmer | undefined {
  const language = languageOf(locale) ?? "";
  const known = stemmers.get(language);
  if (known !== undefined || !Object.hasOwn(algorithms, language)) return known;
  const algorithm = algorithms[language] ?? "";
  // Three locales share Norwegian.
  const sharing = Object.keys(algorithms).filter((other) => algorithms[other] === algorithm);
  const instance = snowball.newStemmer(algorithm);
  // Snowball's Russian leaves it to its callers that the two letters are one.
  const stemmer: Stemmer = (word) => instance.stem(word.replaceAll("ё", "е")) || word;
  for (const other of sharing) stemmers.set(other, stemmer);
  return stemmer;
}
