/** Cases of the catalogue: two small configurations and what is reported of them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a configuration differs in from the smallest one: a realm without accounts, with one collection `db/notes`. */
export interface Sketch {
  /** realm.yaml. */
  readonly realm?: string;
  /** schema.json of the collection, in YAML's short form of JSON. */
  readonly schema?: object;
  readonly collection?: string;
  readonly indexes?: readonly object[];
  readonly text?: object;
  /** Other files, by their paths in the realm; null: no such file. */
  readonly files?: Readonly<Record<string, string | null>>;
}

export interface Case {
  readonly old: Sketch;
  readonly now: Sketch;
  /** `where: message` of the check. */
  readonly line: string;
  /** Other checks that report something, too. */
  readonly also?: readonly string[];
}

export const accounts = "auth: enabled\nroles: { lead: {}, agent: {} }\n";

/** Writes a realm; nothing where a sketch is undefined. */
export function writeRealm(
  folder: string,
  { realm, schema, collection, indexes, text, files }: Sketch,
): void {
  const notes: Record<string, string | null> = {
    "realm.yaml": realm ?? "auth: disabled\n",
    "db/notes/schema.json": JSON.stringify(schema ?? { type: "object" }),
    "db/notes/collection.yaml": collection ?? null,
    "db/notes/indexes.json":
      indexes === undefined && text === undefined
        ? null
        : JSON.stringify({ indexes: indexes ?? [], ...(text === undefined ? {} : { text }) }),
    ...files,
  };
  for (const [path, content] of Object.entries(notes)) {
    if (content === null) continue;
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}
