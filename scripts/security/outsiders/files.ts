/** How the operations on files name documents of organizations, and the files in them. */
import type { Ask, Asks } from "./ask.ts";
import type { Names } from "./town.ts";

/** Of the files in `tasks`, by the operation and the rest of the path below the collection. */
export function fileAsks(path: string, kind: string): Asks | undefined {
  const [, method, field, below = ""] = /^(\w+) \/\{id\}\/_files\/(scan|film)(\/\S+)?$/.exec(kind) ?? [];
  const ask = field === undefined ? undefined : asks[`${method} ${below}`];
  return ask && ((names) => ask(`${path}/${names.documents.tasks}/_files/${field}`, names));
}

const conditions = ["*", '"1"', '"99"', '"1", "2"', "nonsense"] as const;

/** What would be taken, and what would be refused for its size, its type, its name or its digest. */
function uploads(path: string): readonly Ask[] {
  const text = "of a file";
  const headers: readonly Readonly<Record<string, string>>[] = [
    { "content-type": "application/pdf" },
    { "content-type": "nonsense" },
    { "x-svc-filename": "%00" },
    { "content-digest": "sha-256=:nonsense:" },
    ...conditions.map((condition) => ({ "if-match": condition })),
  ];
  return [
    { path, text },
    { path, text: "" },
    { path, text: "x".repeat(1_100_000) },
    { path: `${path}?replace=true`, text },
    { path: `${path}?nonsense=1`, text },
    ...headers.map((each) => ({ path, text, headers: each })),
  ];
}

/** An upload that would be begun, and such as would be refused for what they are, or for what is full. */
function beginnings(path: string): readonly Ask[] {
  const body = { name: "film", type: "application/json", size: 7, sha256: "0".repeat(64) };
  const one = `${path}/_uploads`;
  return [
    { path: one, body },
    { path: one, body: {} },
    { path: one, body: { ...body, size: 2_000_000 } },
    { path: one, text: "nonsense" },
    { path: `${one}?replace=true`, body },
    { path: `${one}?nonsense=1`, body },
    ...conditions.map((condition) => ({ path: one, body, headers: { "if-match": condition } })),
  ];
}

function completions(path: string, { upload, file }: Names): readonly Ask[] {
  const one = `${path}/_uploads/${upload}/complete`;
  return [
    { path: one },
    { path: `${path}/_uploads/${file}/complete` },
    { path: `${one}?nonsense=1` },
    { path: one, text: "nonsense" },
    ...conditions.map((condition) => ({ path: one, headers: { "if-match": condition } })),
  ];
}

const tus = { "tus-resumable": "1.0.0" };

/** An upload in parts that would be begun, and such as would be refused for what they are, or for what is full. */
function beginningsInParts(path: string): readonly Ask[] {
  const one = `${path}/_tus`;
  const headers = { ...tus, "upload-length": "7" };
  return [
    { path: one, headers },
    { path: one, headers: tus },
    { path: one },
    { path: one, headers: { ...tus, "upload-length": "2000000" } },
    { path: one, headers: { ...headers, "upload-metadata": "nonsense nonsense" } },
    {
      path: one,
      headers: { ...headers, "content-type": "application/offset+octet-stream" },
      text: "of file",
    },
    { path: `${one}?replace=true`, headers },
    { path: `${one}?nonsense=1`, headers },
    ...conditions.map((condition) => ({ path: one, headers: { ...headers, "if-match": condition } })),
  ];
}

function partsAsked(path: string, { parts, upload }: Names): readonly Ask[] {
  const one = `${path}/_tus/${parts}`;
  return [
    { path: one, headers: tus },
    { path: one },
    { path: `${path}/_tus/${upload}`, headers: tus },
    { path: `${one}?nonsense=1`, headers: tus },
  ];
}

function partsSent(path: string, { parts }: Names): readonly Ask[] {
  const one = `${path}/_tus/${parts}`;
  const headers = { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": "0" };
  const text = "of a";
  return [
    { path: one, headers, text },
    { path: one, headers, text: "more than there is of it" },
    { path: one, headers: { ...headers, "upload-offset": "3" }, text },
    { path: one, headers: { ...headers, "upload-offset": "nonsense" }, text },
    { path: one, headers: { ...headers, "upload-checksum": "sha1 AAAA" }, text },
    { path: one, headers: { ...headers, "content-type": "text/plain" }, text },
    ...conditions.map((condition) => ({ path: one, headers: { ...headers, "if-match": condition }, text })),
  ];
}

function downloads(path: string, { file, documents }: Names): readonly Ask[] {
  const one = `${path}/${file}`;
  return [
    { path: one },
    { path: `${one}?version=thumb` },
    { path: `${path}/${documents.tasks}` },
    { path: one, headers: { range: "bytes=0-1" } },
    { path: one, headers: { range: "bytes=99999-" } },
    ...conditions.map((condition) => ({ path: one, headers: { "if-none-match": condition } })),
  ];
}

function removals(path: string, { file, documents }: Names): readonly Ask[] {
  const one = `${path}/${file}`;
  return [
    { path: one },
    { path: `${path}/${documents.tasks}` },
    ...conditions.map((condition) => ({ path: one, headers: { "if-match": condition } })),
  ];
}

const asks: Readonly<Record<string, (path: string, names: Names) => readonly Ask[]>> = {
  "POST ": uploads,
  "POST /_uploads": beginnings,
  "POST /_uploads/{upload}/complete": completions,
  "POST /_tus": beginningsInParts,
  "GET /_tus/{upload}": partsAsked,
  "PATCH /_tus/{upload}": partsSent,
  "DELETE /_tus/{upload}": partsAsked,
  "GET /{file}": downloads,
  "DELETE /{file}": removals,
};
