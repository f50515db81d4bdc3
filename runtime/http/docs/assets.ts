import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import type { ByteSource, StreamedBody } from "../../realm/exchange.ts";
import { type AssetName, assetNames, assetPath } from "./files.ts";

/** A file that the page loads. */
export interface Asset {
  readonly name: AssetName;
  /** Names its content, so that browsers may keep it for good: `docs-kAsM0DWp3Rjqc2bn.js`. */
  readonly address: string;
  /** Weak: it stands for both encodings. */
  readonly etag: string;
  readonly mediaType: string;
  readonly gzipped: Buffer;
  /** The same, for clients that do not take gzip: decompressed as they take it. */
  readonly plain: StreamedBody;
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

let assets: Promise<readonly Asset[]> | undefined;

/**
 * All of them, the same for every realm. Nothing is read before somebody asks for a page; from then on they are kept as
 * they were then, compressed.
 * Rejects where one is missing, and looks again the next time.
 */
export function docsAssets(): Promise<readonly Asset[]> {
  assets ??= Promise.all(assetNames.map(load)).catch((error: unknown) => {
    assets = undefined;
    throw error;
  });
  return assets;
}

async function load(name: AssetName): Promise<Asset> {
  const bytes = await readFile(assetPath(name));
  const tag = hash("sha256", bytes, "base64url").slice(0, 16);
  const gzipped = await promisify(gzip)(bytes, { level: 9 });
  const extension = extname(name);
  return {
    name,
    address: `${name.slice(0, -extension.length)}-${tag}${extension}`,
    etag: `W/"${tag}"`,
    mediaType: mediaTypes[extension] ?? "application/octet-stream",
    gzipped,
    plain: { kind: "stream", length: bytes.length, open: () => decompressed(gzipped) },
  };
}

function decompressed(gzipped: Buffer): ByteSource {
  const source = createGunzip();
  source.end(gzipped);
  return source;
}
