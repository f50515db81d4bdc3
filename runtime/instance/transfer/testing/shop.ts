import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentFields, field } from "../../../filter/fields.ts";
import { textIndex } from "../../../filter/search/index.ts";
import type { JsonObject } from "../../../json.ts";
import type { RealmModule } from "../../../realm/exchange.ts";
import type { DocumentWrite } from "../../../store/contract/document.ts";
import { run } from "../../main.ts";
import { shopModule } from "../../testing/fixture.ts";

const fields = {
  ...documentFields,
  sku: field("sku", "string"),
  price: field("price", "number"),
  title: field("title", "string"),
  due_at: field("due_at", "date-time"),
};

/** A realm with `main/items`, which is searched and keeps deleted documents, and `main/notes`. */
export function dataModule(realm: string): RealmModule {
  const plain = shopModule({ realm });
  const [items] = plain.definition.collections;
  if (items === undefined) throw new Error("the shop has items");
  const text = textIndex({ fields: [{ field: fields.title, weight: 3 }], defaultLanguage: "en" });
  const indexes = [{ name: "sku", keys: [{ field: fields.sku, descending: false }], unique: true }];
  const collections = [
    { ...items, fields, indexes, text, softDelete: {} },
    { ...items, name: "notes", fields: documentFields, references: {} },
  ];
  return { ...plain, definition: { ...plain.definition, collections } };
}

const time = Date.UTC(2026, 2, 1, 10);

/** A stored document. */
export function kept(id: string, body: JsonObject, more: Partial<DocumentWrite> = {}): DocumentWrite {
  const { version = 1, deletedAt } = more;
  const at = new Date(time).toISOString();
  const meta = {
    ...{ created_at: at, updated_at: at, version },
    ...(deletedAt !== undefined && { deleted_at: new Date(deletedAt).toISOString() }),
  };
  const text = JSON.stringify({ id, ...body, _meta: meta });
  return { id, version, createdAt: time, text, ...(deletedAt !== undefined && { deletedAt }) };
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of a bundle of these realms. */
export async function commandOf(
  realms: readonly RealmModule[],
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run({ fingerprint: "f", realms }, words, {
    environment,
    out: (line) => out.push(`${line}\n`),
    err: (line) => err.push(`${line}\n`),
    write: async (text) => void out.push(text),
  });
  return { code, out: out.join(""), err: err.join("") };
}

/** A folder for files of one test. */
export function passingFolder(): { readonly path: string; discard(): void } {
  const path = mkdtempSync(join(tmpdir(), "realmc-transfer-"));
  return { path, discard: () => rmSync(path, { recursive: true, force: true }) };
}

/** Its files with what is in them. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
