import { randomInt } from "node:crypto";
import { kept, Recent } from "../../kept.ts";
import { type Database, openDatabase, type Statement } from "./driver.ts";
import { defineFunctions } from "./functions.ts";
import { fillIn, type Sequence, type Texts } from "./query.ts";
import { textOf } from "./rows.ts";

/** Prepared statements that a connection keeps; the oldest goes first. */
const STATEMENTS = 400;

/** Milliseconds that statements may take beside their rows: of these each may be as large as a body may be. */
const INLINE_TIME = 5;

/** One row in this many is counted against a budget, so that counting costs next to nothing. */
export const SAMPLING = 16;

/** In a reader thread, where nobody counts rows and only the deadline is to be noticed, ever so often is enough. */
const RARELY = 128;

/**
 * A condition that is true of every row and stops a statement that visits too many: it calls `tick()` for a sample of
 * rows. The sample is a hash of the row's number: an odd factor spreads it, so that no stride through the table escapes
 * for long, and is drawn anew, so that nobody can choose rows that do. Products stay integers for 30 thousand million rows.
 */
const tickingOnce = (rows: number) => `(seq * ${factor} & ${(rows - 1) * 2 ** 24} OR tick())`;
const factor = drawn();
export const ticking = tickingOnce(SAMPLING);
const tickingRarely = tickingOnce(RARELY);

function drawn(): number {
  for (;;) {
    const odd = randomInt(2 ** 26, 2 ** 27) * 2 + 1;
    if (spreads(odd, SAMPLING) && spreads(odd, RARELY)) return odd;
  }
}

/** Whether no more than four times as many rows lie between two of a sample: of one factor in some it would be thousands. */
function spreads(odd: number, rows: number): boolean {
  let last = 0;
  for (let seq = 1; seq <= 64 * rows; seq += 1) {
    if (Math.floor((seq * odd) / 2 ** 24) % rows === 0) last = seq;
    else if (seq - last > 4 * rows) return false;
  }
  return true;
}

/** A statement as a reader thread runs it. */
export function forReader(sql: string): string {
  return sql.replaceAll(ticking, tickingRarely);
}

/** Bytes of a document from which on it counts as {@link SAMPLING} rows. */
const LARGE = 8192;

/** A condition that is true of every row and counts those whose documents take long to be read. */
export const weighing = `(octet_length(doc) < ${LARGE} OR tick())`;

export interface OpenOptions {
  readonly readOnly: boolean;
  /** Milliseconds that a statement waits for a lock. */
  readonly busyTimeout: number;
}

/** One connection to the file, with its prepared statements. Rows are arrays in the order of the columns. */
export class Connection {
  readonly database: Database;
  /** Position of the first change that the transaction under way has recorded. */
  commitStart: number | undefined;
  readonly #statements = new Recent<string, Statement>(STATEMENTS);
  /** Statements under way have a budget; others are of one row. */
  #isBudgeted = false;
  #ticksLeft = 0;
  /** As `performance.now()` counts; unknown until the first tick. */
  #stopAt: number | undefined;

  constructor(file: string, options: OpenOptions) {
    this.database = openDatabase(file, { readOnly: options.readOnly });
    this.database.exec(`PRAGMA busy_timeout = ${options.busyTimeout}`);
    this.database.exec("PRAGMA cache_size = -8192; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY");
    defineFunctions(this.database);
    this.database.function("tick", () => {
      if (!this.#isBudgeted) return 1;
      const now = performance.now();
      this.#stopAt ??= now + INLINE_TIME;
      if (now > this.#stopAt) this.#ticksLeft = 0;
      if (--this.#ticksLeft < 0) throw overBudget;
      return 1;
    });
  }

  prepare(sql: string): Statement {
    return kept(this.#statements, sql, () => {
      const statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    });
  }

  /** Every row, unless the statements visit more than about `rows` of them, or large ones: then undefined. */
  allWithin(rows: number, { first, others, limit, texts }: Sequence): readonly unknown[] | undefined {
    this.#ticksLeft = Math.ceil(rows / SAMPLING);
    this.#stopAt = undefined;
    this.#isBudgeted = true;
    try {
      const found: unknown[] = this.prepare(first.sql).all(...first.parameters);
      for (const other of others) {
        if (found.length >= limit) break;
        const { sql, parameters } = other();
        const [now = null, , ...rest] = parameters;
        found.push(...this.prepare(sql).all(now, limit - found.length, ...rest));
      }
      return texts === undefined ? found : fillIn(found, texts.characters, (id) => this.#textOf(texts, id));
    } catch (error) {
      if (this.#ticksLeft >= 0) throw error;
      // `all` of the package leaves a mark behind when a function has thrown, and the next refusal of a statement, a write
      // perhaps, would pass for success. This takes it away.
      this.database.exec("");
      return undefined;
    } finally {
      this.#isBudgeted = false;
    }
  }

  #textOf({ sql }: Texts, id: unknown): unknown {
    const row: unknown = this.prepare(sql).get(textOf(id));
    return Array.isArray(row) ? row[0] : undefined;
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }
}

/** Made once: a stack trace would cost more than the rows it stops. */
const overBudget = new Error("the statement visits too many rows");
