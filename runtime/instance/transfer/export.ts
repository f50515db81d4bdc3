import type { CollectionDefinition } from "../../realm/definition.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { Included } from "./include.ts";
import { type LineOptions, lineOf } from "./lines.ts";
import type { KeptDocument, RealmReader } from "./reading.ts";
import type { RealmRecords } from "./records/kinds.ts";
import { pathOf } from "./selection.ts";
import type { Sink, Written } from "./sinks.ts";

/** What is exported into one file. */
export interface Part {
  readonly realm: string;
  /** `<database>/<collection>`, or `_users`. */
  readonly path: string;
  /** What the file begins with. */
  readonly head?: string | undefined;
  /** Lines with their ends, in the order of ids; some are undefined: left out. @param after an id */
  lines(after: string | undefined): AsyncGenerator<readonly (string | undefined)[]>;
}

/** The documents of a collection. */
export function documentPart(
  reader: RealmReader,
  definition: CollectionDefinition,
  options: LineOptions,
): Part {
  return {
    realm: definition.realm,
    path: pathOf(definition),
    head: options.csv?.head,
    lines: (after) =>
      eachLine(reader.documents(definition, after), (document: KeptDocument) => lineOf(document, options)),
  };
}

/** Records of the service. @param all what is exported */
export function recordPart(
  { records }: RealmReader,
  realm: string,
  { kind, form, shape }: RealmRecords,
  all: ReadonlySet<Included>,
): Part {
  if (records === undefined) throw new Error("only stores have records of the service");
  const line = (record: DocumentWrite) => {
    const shown = record.deletedAt === undefined ? form.shown(record, all) : undefined;
    return shown && `${JSON.stringify(shown)}\n`;
  };
  return { realm, path: kind.path, lines: (after) => eachLine(records(shape, after), line) };
}

async function* eachLine<Stored>(
  batches: AsyncGenerator<readonly Stored[]>,
  line: (stored: Stored) => string | undefined,
): AsyncGenerator<readonly (string | undefined)[]> {
  for await (const batch of batches) yield batch.map(line);
}

/** Characters that are written at once, about. */
const chunk = 256 * 1024;

/**
 * Writes a part into a sink, from after what is in it.
 * @param progress told how many are in it
 * @throws StoreUnavailable, or what hinders writing
 */
export async function exportPart(
  { head, lines }: Part,
  sink: Sink,
  progress: (documents: number) => void,
): Promise<Written> {
  if (head !== undefined) await sink.write(head, 0);
  for await (const batch of lines(sink.after)) {
    let text = "";
    let documents = 0;
    for (const line of batch) {
      if (line === undefined) continue;
      text += line;
      documents += 1;
      if (text.length < chunk) continue;
      await sink.write(text, documents);
      [text, documents] = ["", 0];
    }
    if (documents > 0) await sink.write(text, documents);
    progress(sink.documents);
  }
  return sink.end();
}
