import type { JsonObject } from "../../json.ts";
import type { Field } from "../fields.ts";

/**
 * Grows whenever a text may come out as other stems than before, by our doing or the stemmers': what is indexed is then
 * indexed anew.
 */
export const ANALYSIS_VERSION = 1;

/**
 * The text index of a collection (spec: Full-text search): which fields are searched, and how text becomes stems. Both
 * engines index the stems that `stems` makes and ask for those that `parse` makes, so that they find the same documents.
 */
export interface TextIndex {
  /** 1 to 30, each with its weight; strings or arrays of strings. */
  readonly fields: readonly { readonly field: Field; readonly weight: number }[];
  /** A locale code, or `none` for no stemming. */
  readonly defaultLanguage: string;
  /** Holds a document's own locale code. */
  readonly languageField?: Field;
  /**
   * What is indexed of a document: for each of `fields` its stems in order, separated by spaces; between the elements
   * of an array stands a token that no search asks for, so that no phrase reaches across.
   */
  stems(document: JsonObject): readonly string[];
  /**
   * Reads the value of `$search` in the query's language (a locale code; undefined: the index's own).
   * @returns the terms, or a reason why the value is none: too long, too many terms, no term
   */
  parse(value: string, language: string | undefined): SearchTerms | { readonly problem: string };
}

/** What a search asks for, in stems. Every phrase must match; beside phrases words only raise the score. */
export interface SearchTerms {
  /** Consecutive stems within one field (and one element). */
  readonly phrases: readonly (readonly string[])[];
  /** Any of them, where there are no phrases. */
  readonly words: readonly string[];
  /** None of these words and phrases. Where there is nothing else, nothing matches. */
  readonly excluded: readonly (readonly string[])[];
}
