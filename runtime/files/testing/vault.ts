import { hash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBlobs } from "../../blobs/open.ts";
import { openSpool } from "../../blobs/spool.ts";
import { fileLedger } from "../../documents/files/ledger.ts";
import { collections } from "../../documents/files/records.ts";
import { type Shop, type ShopOptions, startShop, text } from "../../documents/testing/shop.ts";
import { TRUE } from "../../filter/algebra.ts";
import { silent } from "../../http/testing/server.ts";
import { idGenerator } from "../../ids.ts";
import { findJob } from "../../jobs/queue.ts";
import { runJobs } from "../../jobs/testing/run.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { FileField, StorageDefinition } from "../../realm/files.ts";
import { fileRoutes } from "../routes.ts";
import { fileSweep, sweepEvery, unnamedFor } from "../sweep.ts";

/** A file field: anything of up to 1 MiB, one of them, unless `more` says otherwise. */
export function fileField(name: string, more: Partial<FileField> = {}): FileField {
  return { name, accept: ["*/*"], maxSize: 1024 * 1024, maxFiles: 1, upload: "proxy", ...more };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** `{}` where it is no JSON. */
  readonly body: JsonObject;
}

/** A server with files, in a folder of its own. */
export interface Vault extends Shop {
  readonly folder: string;
  /** A request to a path below `/v1/shop/main/`, with bytes. */
  bring(method: string, path: string, options?: Brought): Promise<Answered>;
  /** Uploads so many random bytes; answers the file object. */
  uploaded(path: string, size?: number, options?: Brought): Promise<JsonObject>;
  /** The names of what lies in the storage, spool included. */
  lying(): Promise<readonly string[]>;
  /** Records of a system collection of files. */
  records(collection: keyof typeof collections): Promise<readonly JsonObject[]>;
  /** A sweep, so many milliseconds from now (default: long enough); answers what it did. */
  swept(after?: number): Promise<JsonObject>;
  /** A new document's id. */
  made(collection: string, more?: JsonObject, query?: string, token?: string): Promise<string>;
}

export interface Brought {
  readonly bytes?: Uint8Array | string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startVault(
  auth: "enabled" | "disabled",
  definitions: readonly CollectionDefinition[],
  storage: Partial<StorageDefinition> = {},
  { settings, routes = [], definition, ...options }: ShopOptions = {},
): Promise<Vault> {
  const folder = mkdtempSync(join(tmpdir(), "realmc-files-"));
  const shop = await startShop(auth, definitions, {
    ...options,
    settings: { data: folder, ...settings },
    definition: { ...definition, storage: { driver: { kind: "local" }, ...storage } },
    routes: [fileRoutes("shop", definitions), ...routes],
  });
  const bring = async (method: string, path: string, { bytes, token, headers }: Brought = {}) => {
    const sent = new Headers(headers);
    if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
    const body =
      bytes === undefined ? null : new Blob([typeof bytes === "string" ? bytes : Buffer.from(bytes)]);
    const url = path.startsWith("/") ? `${shop.url}${path}` : `${shop.url}/v1/shop/main/${path}`;
    const response = await fetch(url, { method, headers: sent, body, redirect: "manual" });
    const answer = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const parsed: unknown = isJson && answer.length > 0 ? JSON.parse(answer.toString()) : {};
    return {
      status: response.status,
      headers: response.headers,
      bytes: answer,
      body: isJsonObject(parsed) ? parsed : {},
    };
  };
  return {
    ...shop,
    folder,
    bring,
    async uploaded(path, size = 100, sent = {}) {
      const { status, body } = await bring("POST", path, { bytes: randomBytes(size), ...sent });
      if (status !== 201) throw new Error(`upload to ${path}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    async lying() {
      const found = await readdir(join(settings?.data ?? folder, "files"), {
        recursive: true,
        withFileTypes: true,
      });
      return found.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    async records(of) {
      const all = { filter: TRUE, visibility: "live", limit: 1_000, skip: 0 } as const;
      const found = await shop.store("shop").collection(collections[of]).find(all);
      return found.map((document): JsonObject => JSON.parse(document.text));
    },
    async swept(after = unnamedFor + sweepEvery) {
      shop.clock.advance(after);
      const store = shop.store("shop");
      const own = join(folder, "files", "shop");
      const spool = await openSpool(join(own, "spool"));
      const credentials = settings?.s3Credentials;
      const blobs = await openBlobs(storage.driver ?? { kind: "local" }, { folder: own, spool, credentials });
      const ledger = fileLedger(store, { driver: { kind: "local" } }, () => shop.clock.now());
      const realm = {
        definition: {
          name: "shop",
          origins: [],
          appConfig: {},
          effective: { realm: {}, databases: {} },
          collections: definitions,
        },
        store,
        clock: shop.clock,
        newId: idGenerator(shop.clock),
        log: silent,
      };
      await runJobs(realm, [fileSweep(ledger, { blobs, spool, metrics: undefined })]);
      await blobs.close();
      return (await findJob(store, "file_sweep"))?.result ?? {};
    },
    async made(collection, more = {}, query = "", token) {
      const sent = { body: { title: "a", ...more }, ...(token !== undefined && { token }) };
      const { status, body, text: all } = await shop.send("POST", `${collection}${query}`, sent);
      if (status !== 201) throw new Error(`create in ${collection}: ${status} ${all}`);
      return text(body, "id");
    },
    async stop() {
      await shop.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function sha256(bytes: Uint8Array | string): string {
  return hash("sha256", bytes);
}
