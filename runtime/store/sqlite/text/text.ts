import type { Field } from "../../../filter/fields.ts";
import type { SearchTerms, TextIndex } from "../../../filter/search/text-index.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { type TriggerEvent, triggerEvents, triggerName } from "../arrays.ts";
import { ticking } from "../connection.ts";
import { jsonPath, literal, quoted, tableName } from "../names.ts";
import type { Parameters } from "../parameters.ts";

/**
 * Text indexes: one FTS5 table for a collection, whose rows have the numbers of the documents' rows and a column for each
 * field with its stems. It keeps no text (`contentless`), and triggers keep it right whatever writes; the SQL function
 * {@link stemsFunction} gives the stems. What is asked for are stems as well, so that the tokenizer has only to part
 * them at spaces: `ascii` takes every character beyond ASCII for a letter.
 */

/** `svc_stems(collection, document)`: the stems of a document's fields as a JSON array. Defined where documents are written. */
export const stemsFunction = "svc_stems";

/** The dot at the end keeps it apart from the tables that FTS5 puts beside it, whatever collections are called. */
export const textTableName = (collection: string) => `svc_text.${collection}.`;

const columnsOf = (index: TextIndex) => index.fields.map((_, at) => `f${at}`);

/** Makes the table and its triggers, in this order. */
export function textStatements(collection: string, index: TextIndex): readonly string[] {
  const table = quoted(textTableName(collection));
  const trigger = (event: TriggerEvent, occasion: string, body: string) =>
    `CREATE TRIGGER ${quoted(triggerName(textTableName(collection), event))} AFTER ${occasion} BEGIN ${body}; END`;
  const documents = quoted(tableName(collection));
  const learn = learnDocument(collection, index, "NEW.seq", "NEW.doc");
  return [
    `CREATE VIRTUAL TABLE ${table} USING fts5 (${columnsOf(index).join(", ")}, content = '', contentless_delete = 1, tokenize = 'ascii')`,
    trigger("insert", `INSERT ON ${documents}`, learn),
    trigger("update", `UPDATE OF doc ON ${documents} WHEN ${changed(index)}`, learn),
    trigger("delete", `DELETE ON ${documents}`, `DELETE FROM ${table} WHERE rowid = OLD.seq`),
  ];
}

export function dropStatements(collection: string): readonly string[] {
  return [
    ...triggerEvents.map(
      (event) => `DROP TRIGGER IF EXISTS ${quoted(triggerName(textTableName(collection), event))}`,
    ),
    `DROP TABLE IF EXISTS ${quoted(textTableName(collection))}`,
  ];
}

/** The statement that indexes one document, whether or not it is indexed already. */
export function learnDocument(collection: string, index: TextIndex, seq: string, doc: string): string {
  const columns = columnsOf(index);
  const values = columns.map((_, at) => `max(CASE key WHEN ${at} THEN value END)`);
  return `REPLACE INTO ${quoted(textTableName(collection))} (rowid, ${columns.join(", ")})
    SELECT ${seq}, ${values.join(", ")} FROM json_each(${stemsFunction}(${literal(collection)}, ${doc}))`;
}

/** Whether a write changes anything that stems come from: whatever stands at the fields, arrays as a whole. */
function changed({ fields, languageField }: TextIndex): string {
  const own = fields.map(({ field }) => field);
  const paths = [...own, ...(languageField === undefined ? [] : [languageField])].map(pathToArray);
  return [...new Set(paths)].map((path) => `OLD.doc -> ${path} IS NOT NEW.doc -> ${path}`).join(" OR ");
}

function pathToArray({ segments, arrays }: Field): string {
  const array = arrays.indexOf(true);
  return jsonPath(array === -1 ? segments : segments.slice(0, array + 1));
}

/** SQL for the rows of a collection's table that a search finds. */
export function textSearchFor(
  shape: CollectionShape,
): (terms: SearchTerms, parameters: Parameters) => string {
  return (terms, parameters) => {
    const found = foundBy(shape, terms, parameters);
    return found === undefined ? "0" : `seq IN (SELECT seq FROM (${found}) WHERE ${ticking})`;
  };
}

/** SQL for the numbers of the rows that a search finds, as `seq`; undefined where it finds nothing. */
export function foundBy(
  { name }: CollectionShape,
  terms: SearchTerms,
  parameters: Parameters,
): string | undefined {
  const table = quoted(textTableName(name));
  const wanted = wantedBy(terms);
  return wanted === undefined
    ? undefined
    : `SELECT rowid AS seq FROM ${table} WHERE ${table} MATCH ${parameters.add(wanted)}`;
}

/** SQL for whether a search finds the row `seq`, asked of the text index for it alone. */
export function isFoundBy({ name }: CollectionShape, terms: SearchTerms, parameters: Parameters): string {
  const table = quoted(textTableName(name));
  const wanted = wantedBy(terms);
  return wanted === undefined
    ? "0"
    : `EXISTS (SELECT 1 FROM ${table} WHERE ${table} MATCH ${parameters.add(wanted)} AND ${table}.rowid = seq)`;
}

/** What a page in order of relevance is selected from, on what condition, and its score: greater is better. */
export interface Relevance {
  /** The text index joined with the collection's table. */
  readonly from: string;
  readonly condition: string;
  readonly score: string;
}

export function relevanceOf(shape: CollectionShape, terms: SearchTerms, parameters: Parameters): Relevance {
  const table = quoted(textTableName(shape.name));
  const documents = quoted(tableName(shape.name));
  const ranked = rankedBy(terms);
  if (shape.text === undefined || ranked === undefined)
    return { from: documents, condition: "0", score: "0.0" };
  return {
    // CROSS JOIN: the text index is asked first, always.
    from: `${table} CROSS JOIN ${documents}`,
    condition: `${table} MATCH ${parameters.add(ranked)} AND seq = ${table}.rowid`,
    score: scoreOf(table, shape.text),
  };
}

/**
 * Each weight's fields are scored (BM25, which SQLite makes negative) by themselves and count times their weight. Given to
 * BM25 directly, weights would hardly count: it takes them for so many more occurrences of a word, which soon saturate.
 */
function scoreOf(table: string, { fields }: TextIndex): string {
  const weights = [...new Set(fields.map(({ weight }) => weight))];
  const parts = weights.map((weight) => {
    const chosen = fields.map((field) => (field.weight === weight ? "1" : "0"));
    return `${weight} * bm25(${table}, ${chosen.join(", ")})`;
  });
  return `-(${parts.join(" + ")})`;
}

/** A query of FTS5 for what a search finds; undefined where it finds nothing. */
function wantedBy({ phrases, words, excluded }: SearchTerms): string | undefined {
  const wanted = phrases.length > 0 ? all(phrases.map(sought)) : any(words.map(word));
  return wanted === undefined ? undefined : without(wanted, excluded);
}

/** The same, with words that only raise the score: one of them or, what is true anyway, the first phrase. */
function rankedBy({ phrases, words, excluded }: SearchTerms): string | undefined {
  const [first] = phrases;
  if (first === undefined || words.length === 0) return wantedBy({ phrases, words, excluded });
  const raising = any([sought(first), ...words.map(word)]);
  return without(`${all(phrases.map(sought))} AND ${raising}`, excluded);
}

function without(wanted: string, excluded: SearchTerms["excluded"]): string {
  const unwanted = any(excluded.map(sought));
  return unwanted === undefined ? wanted : `(${wanted}) NOT ${unwanted}`;
}

/** A string of FTS5 is the phrase of its tokens. */
const sought = (phrase: readonly string[]) => quoted(phrase.join(" "));
const word = (stem: string) => quoted(stem);
const all = (parts: readonly string[]) => `(${parts.join(" AND ")})`;
const any = (parts: readonly string[]) => (parts.length === 0 ? undefined : `(${parts.join(" OR ")})`);
