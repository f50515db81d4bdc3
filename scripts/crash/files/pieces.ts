/** An upload by the tus protocol that goes on over kills: what was acknowledged of it is never sent again. */
import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "../../../runtime/json.ts";

export interface Answer {
  /** 0: there was none. */
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

const tus = { "tus-resumable": "1.0.0" };

/** @returns what is wrong with it; undefined: it has come whole */
export async function sendInPieces(
  ask: (path: string, init: RequestInit) => Promise<Answer>,
  field: string,
  bytes: Buffer,
): Promise<string | undefined> {
  const length = { "upload-length": String(bytes.length) };
  const begun = await ask(`${field}?replace=true`, { method: "POST", headers: { ...tus, ...length } });
  if (begun.status !== 201) return "not begun";
  const upload = `${field}/${begun.headers.get("location")?.split("/").at(-1)}`;
  let acknowledged = 0;
  while (acknowledged < bytes.length) {
    const { status, headers } = await ask(upload, { method: "HEAD", headers: tus });
    if (status !== 200) {
      if (status !== 0 && status !== 423 && status < 500) return `HEAD answers ${status}`;
      await setTimeout(20);
      continue;
    }
    const offset = Number(headers.get("upload-offset"));
    if (offset < acknowledged) return `${acknowledged} bytes were acknowledged, and ${offset} are there`;
    acknowledged = offset;
    if (offset === bytes.length) break;
    const piece = bytes.subarray(offset, offset + randomInt(1, 200_000));
    const type = "application/offset+octet-stream";
    const own = { ...tus, "upload-offset": String(offset), "content-type": type };
    const sent = await ask(upload, { method: "PATCH", headers: own, body: new Blob([piece]) });
    if (sent.status === 204) acknowledged = Number(sent.headers.get("upload-offset"));
  }
  return undefined;
}
