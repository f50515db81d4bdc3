import { ANALYSIS_VERSION, type TextIndex } from "../../../filter/search/text-index.ts";
import { IndexBuilding } from "../../contract/errors.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Connection } from "../connection.ts";
import { quoted, tableName } from "../names.ts";
import type { Reads } from "../reads.ts";
import { textOf, valuesOf, wholeNumberOf } from "../rows.ts";
import type { Writer } from "../write/writer.ts";
import { dropStatements, learnDocument, stemsFunction, textStatements } from "./text.ts";

/** Milliseconds for which a piece of a build holds the main thread. */
const PIECE = 4;

/** Documents indexed in a second, until we know better. */
const GUESSED_RATE = 10_000;
/** Seconds that a caller is told to wait at most. */
const LONGEST_WAIT = 600;

/**
 * What is indexed. `declaration` is what the index was made by. Of the documents that were there then, those up to row
 * `filled` are in it, those up to row `goal` are to be; those written since are, wherever they stand.
 */
const stateTable = `
  CREATE TABLE IF NOT EXISTS svc_text (
    collection TEXT PRIMARY KEY,
    declaration TEXT NOT NULL,
    filled INTEGER NOT NULL,
    goal INTEGER NOT NULL
  )`;
const getState = "SELECT declaration, filled, goal FROM svc_text WHERE collection = ?1";
const setState = "REPLACE INTO svc_text (collection, declaration, filled, goal) VALUES (?1, ?2, 0, ?3)";
const removeState = "DELETE FROM svc_text WHERE collection = ?1";
const setFilled = "UPDATE svc_text SET filled = ?2 WHERE collection = ?1";

/** A text index that is being filled with the documents that were there before it. */
interface Build {
  readonly collection: string;
  readonly learn: string;
  readonly next: string;
  filled: number;
  readonly goal: number;
  /** When and where it began in this process; milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly startedFrom: number;
}

/** The text indexes of a store: makes, drops and fills them. */
export class TextIndexes {
  readonly #reads: Reads;
  readonly #writer: Writer;
  readonly #indexes = new Map<string, TextIndex>();
  /** By collection. */
  readonly #builds = new Map<string, Build>();

  constructor(reads: Reads, writer: Writer) {
    this.#reads = reads;
    this.#writer = writer;
    reads.writing.database.function(stemsFunction, { deterministic: true }, (collection, document) => {
      const index = this.#indexes.get(textOf(collection));
      // Nothing would be found of what is written so.
      if (index === undefined) throw new Error(`the text index of ${collection} is not provisioned`);
      return JSON.stringify(index.stems(JSON.parse(textOf(document))));
    });
  }

  /** To be run in the transaction that provisions; {@link fill} fills what this has made. */
  provision(shapes: readonly CollectionShape[]): void {
    this.#reads.writing.database.exec(stateTable);
    for (const shape of shapes) {
      this.#builds.delete(shape.name);
      if (shape.text === undefined) this.#drop(shape.name);
      else this.#make(shape.name, shape.text);
    }
  }

  #drop(collection: string): void {
    const { database } = this.#reads.writing;
    this.#indexes.delete(collection);
    const known = this.#reads.writing.prepare(removeState).run(collection).changes;
    if (known > 0) for (const statement of dropStatements(collection)) database.exec(statement);
  }

  #make(collection: string, index: TextIndex): void {
    const { writing } = this.#reads;
    const statements = textStatements(collection, index);
    const declaration = declarationOf(index, statements);
    this.#indexes.set(collection, index);
    let state: unknown = writing.prepare(getState).get(collection);
    if (state === undefined || valuesOf(state)[0] !== declaration) {
      for (const statement of [...dropStatements(collection), ...statements])
        writing.database.exec(statement);
      const last = writing.prepare(`SELECT max(seq) FROM ${quoted(tableName(collection))}`).get();
      writing.prepare(setState).run(collection, declaration, wholeNumberOf(valuesOf(last)[0] ?? 0));
      state = writing.prepare(getState).get(collection);
    }
    const [, filled, goal] = valuesOf(state).map((value) => Number(value));
    if (filled === undefined || goal === undefined || filled >= goal) return;
    const documents = quoted(tableName(collection));
    this.#builds.set(collection, {
      collection,
      learn: learnDocument(collection, index, "?1", `(SELECT doc FROM ${documents} WHERE seq = ?1)`),
      next: `SELECT min(seq) FROM ${documents} WHERE seq > ?1 AND seq <= ?2`,
      filled,
      goal,
      startedAt: performance.now(),
      startedFrom: filled,
    });
  }

  /** Collections whose indexes are not filled. */
  unfilled(): readonly string[] {
    return [...this.#builds.keys()];
  }

  /** Fills an index a little further; answers whether it is to be filled yet. */
  async fill(collection: string): Promise<boolean> {
    const build = this.#builds.get(collection);
    if (build === undefined) return false;
    build.filled = await this.#writer.write(() => this.#fillPiece(build));
    if (build.filled >= build.goal && this.#builds.get(collection) === build) this.#builds.delete(collection);
    return this.#builds.has(collection);
  }

  /** @throws IndexBuilding */
  check(collection: string): void {
    const build = this.#builds.get(collection);
    if (build !== undefined) throw new IndexBuilding(remaining(build));
  }

  /** Answers the row up to which it came. What a failure leaves half done, the next attempt does again. */
  #fillPiece(build: Build): number {
    const { collection, learn, next, goal, filled } = build;
    const { writing } = this.#reads;
    // Provisioned anew in between, the collection has another build, or none.
    if (this.#builds.get(collection) !== build) return filled;
    const end = performance.now() + PIECE;
    let row = filled;
    do {
      const [found] = valuesOf(writing.prepare(next).get(row, goal));
      if (found === null) {
        row = goal;
      } else {
        row = wholeNumberOf(found);
        writing.prepare(learn).run(row);
      }
    } while (row < goal && performance.now() < end);
    writing.prepare(setFilled).run(collection, row);
    return row;
  }
}

/** Drops the text index of a collection that nobody provisions any longer. To be run in a transaction. */
export function dropText(connection: Connection, collection: string): void {
  connection.database.exec(stateTable);
  for (const statement of dropStatements(collection)) connection.database.exec(statement);
  connection.prepare(removeState).run(collection);
}

/** Everything that decides what is indexed (spec: Full-text search 7). How it counts is said by each search. */
function declarationOf(index: TextIndex, statements: readonly string[]): string {
  const { fields, defaultLanguage, languageField } = index;
  return JSON.stringify({
    analysis: ANALYSIS_VERSION,
    fields: fields.map(({ field }) => [field.segments, field.arrays]),
    defaultLanguage,
    languageField: languageField?.segments,
    statements,
  });
}

/** Seconds that a build will take yet, by what it has done. */
function remaining({ filled, goal, startedAt, startedFrom }: Build): number {
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = filled > startedFrom ? (filled - startedFrom) / seconds : GUESSED_RATE;
  return Math.min(LONGEST_WAIT, Math.max(1, Math.ceil((goal - filled) / rate)));
}
