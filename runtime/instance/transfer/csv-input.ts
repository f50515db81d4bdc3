import { type Incoming, NoDocument } from "../../documents/importing/incoming.ts";
import { ApiError } from "../../errors.ts";
import { type JsonBody, readObject } from "../../http/body.ts";
import type { JsonObject } from "../../json.ts";
import { didYouMean } from "../../suggest.ts";
import { type Column, columnCalled, place, valueIn } from "./csv-columns.ts";
import { type CsvRecord, RecordReader } from "./csv-records.ts";
import { InputRefused } from "./input.ts";
import { noObject } from "./ndjson-input.ts";
import { textLines } from "./text-lines.ts";

/**
 * Records of RFC 4180 below a head of dotted paths; lines may end with a line feed alone, and the file begin with a mark of
 * UTF-8. Holds one record at a time.
 * @param name of the input, for messages
 * @param declared the columns that the schema has
 * @throws InputRefused
 */
export async function* csvDocuments(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  declared: readonly Column[],
): AsyncGenerator<readonly Incoming[]> {
  const reader = new RecordReader(name);
  let columns: readonly Column[] | undefined;
  const taken = (record: CsvRecord | undefined): Incoming | undefined => {
    if (record === undefined) return undefined;
    if (columns !== undefined) return incoming(record, columns);
    columns = columnsIn(name, record, declared);
    return undefined;
  };
  for await (const lines of textLines(name, chunks)) {
    const found = lines.map((line) => taken(reader.add(line))).filter((each) => each !== undefined);
    if (found.length > 0) yield found;
  }
  const last = taken(reader.end());
  if (last !== undefined) yield [last];
}

function incoming(record: CsvRecord, columns: readonly Column[]): Incoming {
  return { line: record.line, raw: record.raw, read: () => documentIn(record, columns) };
}

/** @throws InputRefused */
function columnsIn(name: string, { line, cells }: CsvRecord, declared: readonly Column[]): readonly Column[] {
  const refuse = (reason: string) => new InputRefused(`${name}: line ${line}: ${reason}`);
  if (cells instanceof Error) throw refuse(cells.message);
  const names = cells.map((cell) => cell.trim());
  const known = declared.map((column) => column.path);
  const [only = ""] = names;
  if (names.length === 1 && /[;\t]/.test(only))
    throw refuse("columns are separated by commas, not by ; or tabs");
  for (const [at, path] of names.entries()) {
    if (path === "" || path.split(".").includes("")) throw refuse(`column ${at + 1} has no name`);
    if (names.indexOf(path) < at) throw refuse(`column ${path} is there twice`);
    const outer = names.find((other) => path.startsWith(`${other}.`));
    if (outer !== undefined) throw refuse(`column ${path} lies in column ${outer}`);
    const meant = known.includes(path) ? undefined : didYouMean(path, known);
    if (meant !== undefined) throw refuse(`there is no field ${path} (${meant})`);
  }
  return names.map((path) => columnCalled(path, declared));
}

/** @throws NoDocument */
function documentIn({ cells }: CsvRecord, columns: readonly Column[]): JsonBody {
  if (cells instanceof Error) throw new NoDocument(cells.message);
  if (cells.length !== columns.length)
    throw new NoDocument(`has ${cells.length} cells, and the head has ${columns.length}`);
  const document: JsonObject = {};
  for (const [at, column] of columns.entries()) {
    const value = valueIn(cells[at] ?? "", column);
    if (value !== undefined) place(document, column.segments, value);
  }
  try {
    return readObject(JSON.stringify(document));
  } catch (error) {
    throw error instanceof ApiError ? new NoDocument(noObject(error)) : error;
  }
}
