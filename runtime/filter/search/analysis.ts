import { kept, Recent } from "../../kept.ts";
import { stemmerFor } from "./languages.ts";
import { languageOf } from "./locales.ts";
import { wordsOf } from "./words.ts";

/** Words whose stems are remembered, for each language. */
const REMEMBERED = 16_000;

export interface Analysis {
  /** The words of a text in order. */
  words(text: string): string[];
  stem(word: string): string;
}

const analyses = new Map<string, Analysis>();

/** How texts of a locale become stems; `none` and locales without a language keep their words as they are. */
export function analysisFor(locale: string): Analysis {
  const stemmer = stemmerFor(locale);
  const language = stemmer === undefined ? "" : (languageOf(locale) ?? "");
  return kept(analyses, language, () => ({
    words: (text) => wordsOf(text, language),
    stem: stemmer === undefined ? (word) => word : remembering(stemmer),
  }));
}

/** Stemming costs microseconds, and most words of a text are the same few. */
function remembering(stemmer: (word: string) => string): (word: string) => string {
  const stems = new Recent<string, string>(REMEMBERED);
  return (word) => kept(stems, word, () => stemmer(word));
}
