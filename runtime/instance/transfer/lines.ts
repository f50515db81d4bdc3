import { type ParsedDocument, parseDocument, splitDocument } from "../../documents/encode.ts";
import type { Filter } from "../../filter/algebra.ts";
import { matches } from "../../filter/predicate.ts";
import type { JsonObject } from "../../json.ts";
import type { CsvPrinter } from "./csv-columns.ts";
import type { KeptDocument } from "./reading.ts";

export interface LineOptions {
  /** Documents come with their `_meta`, and deleted ones come, too. */
  readonly meta: boolean;
  /** Default: all. */
  readonly filter?: Filter | undefined;
  /** Default: NDJSON. */
  readonly csv?: CsvPrinter | undefined;
}

/** A document as a line with its end; undefined where it is none of those that are asked for. */
export function lineOf(document: KeptDocument, { meta, filter, csv }: LineOptions): string | undefined {
  const { text, deletedAt } = document;
  if (deletedAt !== undefined && !meta) return undefined;
  if (filter !== undefined && !matches(filter, parseDocument(text))) return undefined;
  if (csv !== undefined) return csv.record(shown(parseDocument(text), meta));
  const line = meta ? text : `${splitDocument(text).head}}`;
  // What other tools have written may be laid out over several lines.
  return `${/[\n\r]/.test(line) ? JSON.stringify(JSON.parse(line)) : line}\n`;
}

function shown({ _meta, ...members }: ParsedDocument, meta: boolean): JsonObject {
  return meta && Object.keys(_meta).length > 0 ? { ...members, _meta } : members;
}
