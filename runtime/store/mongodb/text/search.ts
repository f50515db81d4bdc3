import { createHash } from "node:crypto";
import type { Document } from "mongodb";
import type { SearchFilter } from "../../../filter/algebra.ts";
import { ANALYSIS_VERSION, type SearchTerms, type TextIndex } from "../../../filter/search/text-index.ts";
import type { JsonObject } from "../../../json.ts";
import { kept } from "../../../kept.ts";
import { columns, own } from "../layout.ts";

/**
 * Searches: `$text` over the stems that stand beside a document, in one string for each weight, because a weight is what
 * MongoDB's text index knows of a field. A string is ` red car . one two . three `: between fields and between the elements
 * of an array stands a dot, which no search asks for, and every token has a space on both sides, so that a phrase is a
 * part of the string. MongoDB has only to part them: it is told that they are of no language.
 *
 * `$text` finds the documents that have one of some tokens. What a search wants beyond that is asked of the strings.
 */

/** Grows whenever the same stems are stored otherwise than before. */
const TOKENS_VERSION = 1;

/** What `TextIndex.stems` puts between the elements of an array. */
const BETWEEN_ELEMENTS = "\ue000";
const APART = " . ";

/**
 * Different tokens that a document may have in the index: every one is an entry that is written, and servers take no more
 * than 100,000 (`indexMaxNumGeneratedKeysPerDocument`). Lists of data have more, prose does not. Such a document has one
 * token alone, which every search looks for as well, and is then told by its strings.
 */
const MOST_TOKENS = 50_000;
/** No other token is so. */
const MANY = "1";

type Strings = Readonly<Record<string, string>>;

/** What of a document's `_meta.svc` belongs to the text index. Strings by `w` and their weight; none that is empty. */
export interface StemFields {
  readonly analysis: string;
  readonly stems?: Strings;
  readonly unindexed?: Strings;
}

export function stemFields(index: TextIndex, document: JsonObject): StemFields {
  const { analysis, names } = kept(layouts, index, () => layoutOf(index));
  const parts = new Map<string, string[]>();
  for (const [at, text] of index.stems(document).entries()) {
    const name = names[at];
    if (text !== "" && name !== undefined) kept(parts, name, () => []).push(tokensIn(text));
  }
  if (parts.size === 0) return { analysis };
  const strings = Object.fromEntries([...parts].map(([name, texts]) => [name, ` ${texts.join(APART)} `]));
  if (!hasMany(strings)) return { analysis, stems: strings };
  return { analysis, stems: { [names[0] ?? ""]: ` ${MANY} ` }, unindexed: strings };
}

function hasMany(strings: Strings): boolean {
  const texts = Object.values(strings);
  // A token and its space.
  const most = texts.reduce((sum, { length }) => sum + length, 0) / 2;
  return most > MOST_TOKENS && new Set(texts.flatMap((text) => text.split(" "))).size > MOST_TOKENS;
}

/** What the stems of a document were made by: everything that decides which they are and where they stand. */
export function analysisOf(index: TextIndex): string {
  return kept(layouts, index, () => layoutOf(index)).analysis;
}

interface Layout {
  readonly analysis: string;
  /** For each field, the name of the string that has its stems. */
  readonly names: readonly string[];
  /** The paths of those strings, and of those that are not indexed. */
  readonly paths: readonly string[];
  readonly unindexed: readonly string[];
}

const layouts = new WeakMap<TextIndex, Layout>();

function layoutOf(index: TextIndex): Layout {
  const { fields, defaultLanguage, languageField } = index;
  const declaration = JSON.stringify([
    [ANALYSIS_VERSION, TOKENS_VERSION],
    fields.map(({ field, weight }) => [field.segments, field.arrays, weight]),
    defaultLanguage,
    languageField && [languageField.segments, languageField.arrays],
  ]);
  const names = fields.map(({ weight }) => `w${weight}`);
  return {
    analysis: createHash("sha256").update(declaration).digest("base64url").slice(0, 12),
    names,
    paths: [...new Set(names)].map((name) => `${own.stems}.${name}`),
    unindexed: [...new Set(names)].map((name) => `${own.unindexed}.${name}`),
  };
}

const encoded = /[^a-z ]/gu;

/**
 * Stems as tokens of nothing but `a` to `z` and digits, which every tokenizer and every folding of letters leaves alone.
 * Letters from `a` to `z` stand for themselves, a digit stands after a `0`, and of every other character the code point
 * stands there in base 36, after the count of its digits: `häuser` is `h26cuser`, `東京` is `3kfl3fjg`. So no two stems
 * have the same token.
 *
 * MongoDB knows a token of more than 256 characters by the first 224 and a checksum (MD5). Only words of more than 50
 * Korean syllables become so long.
 */
function tokensIn(stems: string): string {
  return stems.replace(encoded, token);
}

function token(character: string): string {
  if (character >= "0" && character <= "9") return `0${character}`;
  if (character === BETWEEN_ELEMENTS) return ".";
  const code = (character.codePointAt(0) ?? 0).toString(36);
  return `${code.length}${code}`;
}

/** Only exclusions: nothing is found (the manual says so too). It is a search nevertheless, and may be asked for scores. */
const NOTHING: Document = { $text: { $search: "-x" } };

/**
 * The condition of a search: for the top of a query, or a `$and` there, and for a `$match` that begins a pipeline.
 * @param isRanked scores are asked for, to which every word counts
 */
export function searchCondition({ index, terms }: SearchFilter, isRanked = false): Document {
  const { phrases, words, excluded } = terms;
  if (phrases.length === 0 && words.length === 0) return NOTHING;
  const { paths, unindexed } = kept(layouts, index, () => layoutOf(index));

  const has = (phrase: readonly string[]) => {
    const $regex = ` ${tokensIn(phrase.join(" "))} `;
    return [...paths, ...unindexed].map((path) => ({ [path]: { $regex } }));
  };
  const exact: Document[] = phrases.map((phrase) => ({ $or: has(phrase) }));
  if (phrases.length === 0) {
    const $regex = ` (?:${words.map(tokensIn).join("|")}) `;
    const isIndexed = { [own.unindexed]: { $exists: false } };
    exact.push({ $or: [isIndexed, ...unindexed.map((path) => ({ [path]: { $regex } }))] });
  }
  if (excluded.length > 0) exact.push({ $nor: excluded.flatMap(has) });
  const tokens = new Set([...sought(terms, isRanked).map(tokensIn), MANY]);
  return { $text: { $search: [...tokens].join(" ") }, $and: exact };
}

/** Words one of which has to be there. Where all phrases have to, one word of theirs will do: the longest is rare, likely. */
function sought({ phrases, words }: SearchTerms, isRanked: boolean): readonly string[] {
  const ofPhrases = phrases.flat();
  if (isRanked || phrases.length === 0) return [...ofPhrases, ...words];
  return [ofPhrases.reduce((longest, word) => (word.length > longest.length ? word : longest))];
}

const textScore = { $meta: "textScore" } as const;

/** Order of relevance, by stages of a pipeline that begins with a search. */
export const relevanceOrder = { [own.score]: textScore, [columns.id]: 1 } as const;

/** Puts a document's score where it is read. */
export const scoreStage = { $set: { [own.score]: textScore } } as const;

/** A projection without what nobody wants to have sent: it is longer than the document. */
export const withoutStems = { [own.stems]: 0, [own.unindexed]: 0 } as const;
