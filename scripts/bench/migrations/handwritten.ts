// The reference for migrations: a script as an expert would write it by hand for this one change, on the same driver: it reads
// some hundred documents, changes and checks them, and writes them in one durable transaction with how far it is
// (`synchronous=FULL`), each if it still has its version. It knows nothing of leases, refusals and the next change.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { Ajv2020 } from "ajv/dist/2020.js";
import { oldItems } from "./documents.ts";

type Database = InstanceType<typeof DatabaseSync>;

/** What of an item the script looks at. */
interface Item {
  readonly id: string;
  readonly _meta: { readonly version: number };
  readonly name: string;
  readonly sku: string;
  readonly status: string;
  readonly unit?: string;
  readonly vendor: object;
}

const TOGETHER = 400;

/** Microseconds of processor time that a document takes, of so many in a new file in the folder. */
export async function migrateByHand(folder: string, schema: string, count: number): Promise<number> {
  const db = new DatabaseSync(join(folder, "migrations.sqlite"));
  try {
    fill(db, count);
    const before = process.cpuUsage();
    await migrate(db, schema);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  } finally {
    db.close();
  }
}

/** As the tables of the server written by hand: what conditions and orders need stands in columns. */
function fill(db: Database, count: number): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE items (
      id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at TEXT NOT NULL,
      name TEXT NOT NULL, sku TEXT NOT NULL UNIQUE, body TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX items_created ON items (created_at, id);
    CREATE INDEX items_name ON items (name, created_at, id);
    CREATE TABLE progress (after TEXT NOT NULL);
    INSERT INTO progress VALUES ('');
    BEGIN;
  `);
  const insert = db.prepare("INSERT INTO items VALUES (?, 1, '2026-01-01T00:00:00.000Z', ?, ?, ?)");
  for (const { id, text } of oldItems(count)) {
    const { name, sku }: { name: string; sku: string } = JSON.parse(text);
    insert.run(id, name, sku, text);
  }
  db.exec("COMMIT");
}

async function migrate(db: Database, schema: string): Promise<void> {
  const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(readFileSync(schema, "utf8")));
  const next = db.prepare(`SELECT id, version, body FROM items WHERE id > ? ORDER BY id LIMIT ${TOGETHER}`);
  const update = db.prepare(
    "UPDATE items SET version = ?, name = ?, sku = ?, body = ? WHERE id = ? AND version = ?",
  );
  const save = db.prepare("UPDATE progress SET after = ?");
  for (let after = ""; ; ) {
    const batch = next.all(after);
    if (batch.length === 0) return;
    after = String(batch.at(-1)?.id);
    db.exec("BEGIN IMMEDIATE");
    for (const { id, version, body } of batch) {
      const { id: _, _meta, vendor, ...rest }: Item = JSON.parse(String(body));
      const status = rest.status === "live" ? "active" : rest.status;
      const members = { ...rest, status, supplier: vendor, unit: rest.unit ?? "piece" };
      if (!validate(members)) throw new Error(`${id} does not fit`);
      const text = JSON.stringify({ id, ...members, _meta: { ..._meta, version: _meta.version + 1 } });
      update.run(Number(version) + 1, members.name, members.sku, text, id, version);
    }
    save.run(after);
    db.exec("COMMIT");
    await setImmediate();
  }
}
