/** An embedded store of one test with a realm of files, and folders for its backups. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../clock.ts";
import { documentCollections } from "../../../documents/shapes.ts";
import { isJsonObject } from "../../../json.ts";
import type { RealmModule } from "../../../realm/exchange.ts";
import type { Store } from "../../../store/contract/store.ts";
import { openSqliteStore } from "../../../store/sqlite/store.ts";
import { realmCollections } from "../../realm.ts";
import { filesModule } from "../../testing/fixture-files.ts";
import { type Started, startRealm } from "../../testing/servers.ts";
import { commandOf, type Ended } from "../../transfer/testing/shop.ts";

export class BackupPlace {
  readonly top = mkdtempSync(join(tmpdir(), "realmc-backup-"));
  readonly realm = "shop";
  readonly module: RealmModule = filesModule(this.realm);

  /** A folder of its own. */
  path(name: string): string {
    return join(this.top, name);
  }

  get store(): string {
    return this.path("store");
  }

  get backup(): string {
    return this.path("backup");
  }

  discard(): void {
    rmSync(this.top, { recursive: true, force: true });
  }

  run(...words: readonly string[]): Promise<Ended> {
    return commandOf([this.module], words);
  }

  backUp(...words: readonly string[]): Promise<Ended> {
    return this.run("backup", "--store", `sqlite:${this.store}`, "--to", this.backup, ...words);
  }

  restore(to: string, ...words: readonly string[]): Promise<Ended> {
    return this.run("restore", "--from", this.backup, "--to", `sqlite:${this.path(to)}`, ...words);
  }

  verify(place: string, ...words: readonly string[]): Promise<Ended> {
    return this.run("verify", place, ...words);
  }

  /** Works with a server on a folder, which is stopped afterwards. */
  async serving<T>(folder: string, work: (server: Started) => Promise<T>): Promise<T> {
    const settings = { store: { engine: "sqlite", folder }, data: folder } as const;
    const server = await startRealm(this.module, { settings, clock: systemClock });
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  }

  /** Works with the store itself, provisioned, while no server runs. */
  async withStore<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openSqliteStore({
      ...{ location: folder, realm: this.realm, clock: systemClock, queryTime: 5_000 },
    });
    try {
      await store.provision(realmCollections(this.module.definition));
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** All documents of the realm, as they are stored. */
  documents(folder: string): Promise<readonly string[]> {
    const [papers] = documentCollections(this.module.definition);
    return this.withStore(folder, async (store) => {
      const found = await store.collection(papers?.name ?? "").scan(undefined, 100_000);
      return found.map(({ text }) => text);
    });
  }

  /** The bytes of its files, by their names. */
  files(folder: string): ReadonlyMap<string, string> {
    const all = readdirSync(join(folder, "files", this.realm), { recursive: true, withFileTypes: true });
    const contents = all.filter((entry) => entry.isFile() && !entry.parentPath.endsWith("spool"));
    return new Map(
      contents
        .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "base64")] as const)
        .sort(),
    );
  }
}

/** A document, with a file if bytes are given. Its id. */
export async function put(
  { url }: Pick<Started, "url">,
  realm: string,
  body: object,
  bytes?: Uint8Array,
): Promise<string> {
  const path = `${url}/v1/${realm}/main/papers`;
  const headers = { "content-type": "application/json" };
  const created = await fetch(path, { method: "POST", body: JSON.stringify(body), headers });
  const document: unknown = await created.json();
  if (created.status !== 201 || !isJsonObject(document)) throw new Error(`no document: ${created.status}`);
  const id = `${document["id"]}`;
  if (bytes === undefined) return id;
  const file = new Blob([Buffer.from(bytes)]);
  const uploaded = await fetch(`${path}/${id}/_files/scan`, { method: "POST", body: file });
  await uploaded.arrayBuffer();
  if (uploaded.status >= 300) throw new Error(`no file: ${uploaded.status}`);
  return id;
}

export const some = (length: number): Uint8Array => randomBytes(length);
