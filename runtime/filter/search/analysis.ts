import { stemmerFor } from "./languages.ts";
import { languageOf } from "./locales.ts";
import { wordsOf } from "./words.ts";

/** Words whose stems are remembered, for each language; up to twice as many. */
const REMEMBERED = 8_000;

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
  let analysis = analyses.get(language);
  if (analysis === undefined) {
    analysis = {
      words: (text) => wordsOf(text, language),
      stem: stemmer === undefined ? (word) => word : remembering(stemmer),
    };
    analyses.set(language, analysis);
  }
  return analysis;
}

/** Stemming costs microseconds, and most words of a text are the same few: those asked for last are remembered. */
function remembering(stemmer: (word: string) => string): (word: string) => string {
  let recent = new Map<string, string>();
  let older = new Map<string, string>();
  return (word) => {
    const known = recent.get(word);
    if (known !== undefined) return known;
    const stem = older.get(word) ?? stemmer(word);
    if (recent.size >= REMEMBERED) {
      older = recent;
      recent = new Map();
    }
    recent.set(word, stem);
    return stem;
  };
}
