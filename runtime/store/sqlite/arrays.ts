import { type Field, passesArray } from "../../filter/fields.ts";
import type { CollectionShape } from "../contract/shape.ts";
import { ticking } from "./connection.ts";
import { reach, strict } from "./expressions.ts";
import { quoted, tableName, valuesName } from "./names.ts";
import type { ArrayIndex } from "./read/lower.ts";

/**
 * Indexes over fields that pass through arrays. An index of SQLite has one entry a row, such a field has many values; so
 * the values stand in a table of their own, kept by triggers, one row for each value and document. Comparisons with the
 * field look there.
 */

/** Fields through arrays among the declared indexes' keys, by path. */
export function indexedArrays(shape: CollectionShape): ReadonlyMap<string, Field> {
  const keys = shape.indexes.flatMap((index) => index.keys.map((key) => key.field));
  return new Map(keys.filter(passesArray).map((field) => [field.path, field]));
}

export function arrayIndexFor(shape: CollectionShape): ArrayIndex {
  const indexed = indexedArrays(shape);
  return (field, condition) =>
    indexed.has(field.path)
      ? `seq IN (SELECT seq FROM ${quoted(valuesName(shape.name, field))} WHERE ${condition("value")} AND ${ticking})`
      : undefined;
}

export const triggerEvents = ["insert", "update", "delete"] as const;
export type TriggerEvent = (typeof triggerEvents)[number];
export const triggerName = (table: string, event: TriggerEvent) => `${table} ${event}`;

export interface ArrayIndexStatements {
  /** The table's name. */
  readonly name: string;
  /** Made in this order; a change in any of them is a change of the index. */
  readonly definitions: readonly { readonly name: string; readonly sql: string }[];
  readonly fill: string;
  /** Ids of documents among the rows from `?1` up to `?2` whose values are other than those in the table. */
  readonly astray: string;
}

export function arrayIndexStatements(collection: string, field: Field): ArrayIndexStatements {
  const name = valuesName(collection, field);
  const values = quoted(name);
  const documents = quoted(tableName(collection));
  const valuesFrom = (json: string, seq: string, source: readonly string[]) => {
    const { from, place } = reach(field, json, true);
    const value = strict(place, "any");
    return `SELECT ${value}, ${seq} FROM ${[...source, ...from].join(", ")} WHERE ${value} IS NOT NULL`;
  };
  const insertFrom = (json: string, seq: string, source: readonly string[]) =>
    `INSERT OR IGNORE INTO ${values} ${valuesFrom(json, seq, source)}`;
  const ofAll = ["doc", "documents.seq", [`${documents} AS documents`]] as const;
  const trigger = (event: TriggerEvent, occasion: string, body: string) => ({
    name: triggerName(name, event),
    sql: `CREATE TRIGGER ${quoted(triggerName(name, event))} AFTER ${occasion} ON ${documents} BEGIN ${body}; END`,
  });
  const forget = `DELETE FROM ${values} WHERE seq = OLD.seq`;
  const learn = insertFrom("NEW.doc", "NEW.seq", []);
  return {
    name,
    definitions: [
      {
        name,
        sql: `CREATE TABLE ${values} (value, seq INTEGER NOT NULL, PRIMARY KEY (value, seq)) WITHOUT ROWID`,
      },
      {
        name: `${name} by document`,
        sql: `CREATE INDEX ${quoted(`${name} by document`)} ON ${values} (seq)`,
      },
      trigger("insert", "INSERT", learn),
      trigger("update", "UPDATE OF doc", `${forget}; ${learn}`),
      trigger("delete", "DELETE", forget),
    ],
    fill: insertFrom(...ofAll),
    astray: astrayFrom(documents, `${valuesFrom(...ofAll)} AND ${within("documents.seq")}`, values),
  };
}

const within = (seq: string) => `${seq} BETWEEN ?1 AND ?2`;

/** Documents that one has values of and the other has not, either way. */
function astrayFrom(documents: string, wanted: string, values: string): string {
  const there = `SELECT value, seq FROM ${values} WHERE ${within("seq")}`;
  const either = `SELECT * FROM (${wanted} EXCEPT ${there}) UNION ALL SELECT * FROM (${there} EXCEPT ${wanted})`;
  return `SELECT DISTINCT coalesce(found.id, '') FROM (SELECT * FROM (${either})) AS one
    LEFT JOIN ${documents} AS found ON found.seq = one.seq`;
}
