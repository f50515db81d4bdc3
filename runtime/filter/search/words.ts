/**
 * The words of a text: runs of letters, marks and digits, in compatibility form (NFKC) and lower case. Everything else
 * separates them, hyphens and apostrophes too; a single letter that an apostrophe cuts off is left out, so that
 * `Ada's` is `ada` and `l'homme` is `homme`.
 *
 * Scripts that write no spaces are cut into overlapping pieces, since only a dictionary knows where a word ends:
 * `東京都` becomes `東 東京 京 京都 都`. A part of such a text becomes a run of the same pieces, so that phrases work, and
 * words ask for the pairs alone.
 */

/** Words are cut after this many UTF-16 units: longer ones are data, which costs time and room. */
const LONGEST = 64;

const beyondAscii = /[\u0080-\uffff]/;
/** Words, and between them apostrophes. */
const asciiRun = /[a-z0-9]+(?:'[a-z0-9]+)*/g;
const run = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*/gu;
/** The second is a letter to Unicode. */
const apostrophes = /[\u2019\u02bc]/g;
const singleLetter = /^\p{L}\p{M}*$/u;

/** Thai is the first by code point. */
const mayBeUnspaced = /[\u0e00-\uffff]/;
const unspacedScripts =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc";
const unspaced = /* @__PURE__ */ new RegExp(`[${unspacedScripts}]`, "u");
const unspacedCharacter = /* @__PURE__ */ new RegExp(`^[${unspacedScripts}]$`, "u");
const scriptRun = /* @__PURE__ */ new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, "gu");

/** @param language the text's (see `languageOf`); it decides what is the lower case of a letter */
export function wordsOf(text: string, language?: string): string[] {
  const folded = fold(text, language);
  const isAscii = !beyondAscii.test(folded);
  const cutsPieces = !isAscii && mayBeUnspaced.test(folded);
  const words: string[] = [];
  for (const found of folded.match(isAscii ? asciiRun : run) ?? []) {
    for (const word of found.includes("'") ? partsOf(found) : [found]) {
      if (cutsPieces && unspaced.test(word)) addPieces(word, words);
      else words.push(cut(word));
    }
  }
  return words;
}

/** Of the words that a written word of a query falls into, those that are worth asking for. */
export function soughtOf(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !unspacedCharacter.test(word));
  return telling.length > 0 ? telling : words;
}

function fold(text: string, language: string | undefined): string {
  const plain = text.normalize("NFKC");
  // Turkish has two letters i; elsewhere the lower case of the dotted capital is not a letter of its own.
  const lower =
    language === "tr" ? plain.toLocaleLowerCase("tr") : plain.toLowerCase().replaceAll("i\u0307", "i");
  // A sigma is written otherwise at the end of a word.
  return lower.replaceAll("\u03c2", "\u03c3").replace(apostrophes, "'");
}

function partsOf(found: string): readonly string[] {
  const parts = found.split("'");
  const words = parts.filter((part) => !singleLetter.test(part));
  return words.length > 0 ? words : parts;
}

function addPieces(word: string, words: string[]): void {
  for (const part of word.match(scriptRun) ?? []) {
    if (!unspaced.test(part)) {
      words.push(cut(part));
      continue;
    }
    let before: string | undefined;
    for (const character of part) {
      if (before !== undefined) words.push(before + character);
      words.push(character);
      before = character;
    }
  }
}

function cut(word: string): string {
  if (word.length <= LONGEST) return word;
  const splitsPair = /[\ud800-\udbff]/.test(word.charAt(LONGEST - 1));
  return word.slice(0, splitsPair ? LONGEST - 1 : LONGEST);
}
