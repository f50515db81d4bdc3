/** What a bucket holds, and what is on its way into it. */
import { randomBytes } from "node:crypto";
import { hash } from "./bodies.ts";
import { S3Error } from "./errors.ts";

export interface StoredObject {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
  readonly changedAt: number;
  /** As it was given; of those that came in one piece. */
  readonly sha256: string | undefined;
}

interface Part {
  readonly body: Buffer;
  readonly etag: string;
}

interface Multipart {
  readonly key: string;
  readonly type: string;
  /** When it began. */
  at: number;
  readonly parts: Map<number, Part>;
}

const SMALLEST_PART = 5 * 1_048_576;

export class Objects {
  readonly all = new Map<string, StoredObject>();
  readonly multiparts = new Map<string, Multipart>();

  put(key: string, body: Buffer, type: string, sha256?: string): StoredObject {
    const etag = `"${hash("md5", body).toString("hex")}"`;
    const object = { body, type, etag, changedAt: Date.now(), sha256 };
    this.all.set(key, object);
    return object;
  }

  get(key: string): StoredObject {
    const object = this.all.get(key);
    if (object === undefined) throw new S3Error(404, "NoSuchKey");
    return object;
  }

  begin(key: string, type: string): string {
    const id = randomBytes(8).toString("hex");
    this.multiparts.set(id, { key, type, at: Date.now(), parts: new Map() });
    return id;
  }

  part(id: string, key: string, number: number, body: Buffer): Part {
    const part = { body, etag: `"${hash("md5", body).toString("hex")}"` };
    this.#multipart(id, key).parts.set(number, part);
    return part;
  }

  complete(id: string, key: string, listed: readonly { number: number; etag: string }[]): StoredObject {
    const multipart = this.#multipart(id, key);
    const parts = listed.map(({ number, etag }, n) => {
      const part = multipart.parts.get(number);
      if (part === undefined || part.etag !== etag) throw new S3Error(400, "InvalidPart");
      if (number <= (listed[n - 1]?.number ?? 0)) throw new S3Error(400, "InvalidPartOrder");
      if (n < listed.length - 1 && part.body.length < SMALLEST_PART) throw new S3Error(400, "EntityTooSmall");
      return part.body;
    });
    if (parts.length === 0) throw new S3Error(400, "MalformedXML");
    this.multiparts.delete(id);
    return this.put(key, Buffer.concat(parts), multipart.type);
  }

  abort(id: string, key: string): void {
    this.#multipart(id, key);
    this.multiparts.delete(id);
  }

  /** Keys that begin so, after one of them. */
  page(prefix: string, after: string, most: number) {
    const keys = [...this.all.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    return { keys: keys.slice(0, most), isWhole: keys.length <= most };
  }

  /** Those whose keys begin so, after one of them. */
  underway(prefix: string, [afterKey, afterId]: readonly [key: string, id: string], most: number) {
    const all = [...this.multiparts]
      .map(([id, { key, at }]) => ({ id, key, at }))
      .filter(
        ({ key, id }) => key.startsWith(prefix) && (key > afterKey || (key === afterKey && id > afterId)),
      )
      .sort((one, other) => (`${one.key} ${one.id}` < `${other.key} ${other.id}` ? -1 : 1));
    return { uploads: all.slice(0, most), isWhole: all.length <= most };
  }

  #multipart(id: string, key: string): Multipart {
    const multipart = this.multiparts.get(id);
    if (multipart === undefined || multipart.key !== key) throw new S3Error(404, "NoSuchUpload");
    return multipart;
  }
}
