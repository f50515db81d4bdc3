/** `Upload-Metadata`: pairs of a key and a value in Base64. Of its keys we know `filename` and `filetype`. */
import { invalidHeader } from "../errors.ts";
import { fileName } from "../names.ts";

const name = "Upload-Metadata";

/** Characters of all of it. */
const most = 4_096;

export interface Metadata {
  /** As it came, to be told again. */
  readonly text: string;
  /** As files have it. */
  readonly name: string;
  /** Media type; undefined: nothing is said. */
  readonly type: string | undefined;
}

const key = /^[!-+\--~]+$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @throws ApiError `invalid_header` */
export function metadataIn(text: string | undefined): Metadata {
  const said = pairsOf(text ?? "");
  const filetype = said.get("filetype");
  return {
    text: text ?? "",
    name: fileName(said.get("filename") ?? said.get("name") ?? "", name),
    type: filetype === undefined || filetype === "" ? undefined : mediaType(filetype),
  };
}

function pairsOf(text: string): ReadonlyMap<string, string> {
  if (text.length > most) throw invalidHeader(name, `must have at most ${most} characters`);
  const said = new Map<string, string>();
  if (text.trim() === "") return said;
  for (const pair of text.split(",")) {
    const [known = "", value = "", ...more] = pair.trim().split(" ");
    if (!key.test(known) || !base64.test(value) || more.length > 0 || said.has(known))
      throw invalidHeader(name, "must be pairs of a key and a value in Base64, each key once");
    said.set(known, decoded(value));
  }
  return said;
}

function decoded(value: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "base64"));
  } catch {
    throw invalidHeader(name, "must have values in UTF-8");
  }
}

const essence = /^\s*([A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127})\s*(?:;[ -~]*)?$/;

function mediaType(said: string): string {
  const type = essence.exec(said)?.[1]?.toLowerCase();
  if (type === undefined) throw invalidHeader(name, "must have a filetype such as image/png");
  return type;
}
