/** Forms as clients write them (`multipart/form-data`). */

const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

export const formHeaders = { "content-type": `multipart/form-data; boundary=${boundary}` };

export interface Part {
  /** Of `Content-Disposition`, after `form-data; `. */
  readonly headers: string;
  /** `Content-Type`; absent: it has none. */
  readonly type?: string;
  readonly bytes: Uint8Array | string;
}

/** The body of a form. */
export function formOf(parts: readonly Part[]): Buffer {
  const all = parts.flatMap(({ headers, type, bytes }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n`),
    Buffer.from(type === undefined ? "\r\n" : `Content-Type: ${type}\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...all, Buffer.from(`--${boundary}--\r\n`)]);
}
