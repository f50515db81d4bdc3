/** Uploads to an address of their own, as clients make them. */
import { randomBytes } from "node:crypto";
import { text } from "../../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { type Answered, sha256, type Vault } from "./vault.ts";

/** So many bytes of a document of its own. */
export const pdf = (size: number): Buffer =>
  Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(Math.max(0, size - 9))]);

/** What is said of bytes before they are sent. */
export const claim = (bytes: Uint8Array, more: JsonObject = {}): JsonObject => ({
  name: "Bill.pdf",
  type: "application/pdf",
  size: bytes.length,
  sha256: sha256(bytes),
  ...more,
});

/** An upload that has begun. */
export interface Begun {
  readonly upload: string;
  /** Where it is completed. */
  readonly path: string;
  /** As it was answered. */
  readonly body: JsonObject;
}

interface Asking {
  readonly token?: string | undefined;
  /** With its question mark. */
  readonly query?: string;
}

/** @param at path of a file field, as {@link Vault.bring} takes it */
export function ask(
  vault: Vault,
  at: string,
  body: JsonObject,
  { token, query = "" }: Asking = {},
): Promise<Answered> {
  return vault.bring("POST", `${at}/_uploads${query}`, {
    bytes: JSON.stringify(body),
    headers: { "content-type": "application/json" },
    ...(token !== undefined && { token }),
  });
}

/** @throws Error where it is refused */
export async function begin(vault: Vault, at: string, body: JsonObject, asking: Asking = {}): Promise<Begun> {
  const answer = await ask(vault, at, body, asking);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.bytes}`);
  const upload = text(answer.body, "upload");
  return { upload, path: `${at}/_uploads/${upload}/complete`, body: answer.body };
}

/** As a browser does, which knows no more than was answered. @returns the status */
export async function send(vault: Vault, { body }: Begun, bytes: Uint8Array): Promise<number> {
  const headers = Object.entries(isJsonObject(body["headers"]) ? body["headers"] : {}).filter(
    ([name]) => name !== "content-length",
  );
  const response = await fetch(new URL(text(body, "url"), vault.url), {
    method: text(body, "method"),
    headers: headers.map(([name, value]): [string, string] => [name, `${value}`]),
    body: new Blob([Buffer.from(bytes)]),
  });
  await response.arrayBuffer();
  return response.status;
}
