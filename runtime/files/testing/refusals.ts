/** What refuses uploads after their first byte, and the ways in which files come. */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { text } from "../../documents/testing/shop.ts";
import { untilHolds } from "../../testing/until.ts";
import { pngOf } from "../content/testing/hostile.ts";
import { begin, claim, send } from "./direct.ts";
import { formHeaders, formOf } from "./forms.ts";
import type { Vault } from "./vault.ts";

const mib = 1024 * 1024;

interface At {
  readonly vault: Vault;
  readonly token: string;
  /** Of the document. */
  readonly id: string;
}

export interface Refusal {
  readonly status: number;
  readonly field: string;
  readonly bytes: Buffer;
  readonly ifMatch?: true;
  /** It is announced as other bytes than those that come. */
  readonly announced?: "otherwise";
  /** The connection is cut in the middle. */
  readonly cut?: true;
  /** Comes in between: some bytes are there, and the rest is not. */
  readonly meanwhile?: (at: At) => Promise<unknown>;
  /** Takes back what was done meanwhile. */
  readonly after?: (at: At) => Promise<unknown>;
  /** Ways on which it refuses nothing after the first byte. */
  readonly not?: readonly string[];
}

const some = (size = mib) => randomBytes(size);
const fill = "filled";

/** Takes up the quota by another document, which is there no longer afterwards. */
const rich = new Map<Vault, { readonly id: string; readonly file: string }>();
const full = {
  async meanwhile({ vault, token }: At) {
    const id = await vault.made("papers", {}, "", token);
    const file = await vault.uploaded(`papers/${id}/_files/scan`, 5 * (mib / 2), { token });
    rich.set(vault, { id, file: text(file, "id") });
  },
  async after({ vault, token }: At) {
    const { id, file } = rich.get(vault) ?? { id: "", file: "" };
    await vault.bring("DELETE", `papers/${id}/_files/scan/${file}`, { token });
  },
};

const patched = ({ vault, token, id }: At) =>
  vault.send("PATCH", `papers/${id}`, { body: { title: "b" }, token });

/** A PNG whose end does not come. */
const whole = pngOf(
  1_000,
  1_000,
  Buffer.concat(Array.from({ length: 1_000 }, () => Buffer.concat([Buffer.alloc(1), some(1_000)]))),
);
const half = whole.subarray(0, whole.length >> 1);

export const refusals: Readonly<Record<string, Refusal>> = {
  "a quota that is full by then": {
    status: 413,
    field: "scan",
    bytes: some(),
    ...full,
    // Its place is held from its beginning on.
    not: ["direct", "resumable, in one request", "resumable, in two"],
  },
  "a write rule that refuses by then": { status: 403, field: "ruled", bytes: some(), meanwhile: patched },
  "a change in between": { status: 412, field: "scan", bytes: some(), ifMatch: true, meanwhile: patched },
  "a field that is full by then": {
    status: 409,
    field: fill,
    bytes: some(),
    meanwhile: ({ vault, token, id }) => vault.uploaded(`papers/${id}/_files/${fill}`, 10, { token }),
    after: async ({ vault, token, id }) => {
      const { body } = await vault.send("GET", `papers/${id}`, { token });
      await vault.bring("DELETE", `papers/${id}/_files/${fill}/${text(body, fill, "id")}`, { token });
    },
  },
  "a document that is gone by then": {
    status: 404,
    field: "scan",
    bytes: some(),
    meanwhile: ({ vault, token, id }) => vault.send("DELETE", `papers/${id}`, { token }),
  },
  "a type that is not taken": { status: 415, field: "picture", bytes: some() },
  "an image that is cut off": { status: 422, field: "picture", bytes: half },
  "other bytes than were announced": {
    status: 422,
    field: "scan",
    bytes: some(),
    announced: "otherwise",
    not: ["resumable, in one request", "resumable, in two"],
  },
  "a connection that is cut": { status: 0, field: "scan", bytes: some(2 * mib), cut: true, not: ["direct"] },
  "a size that is not taken": {
    status: 413,
    field: "scan",
    bytes: some(4 * mib + 1),
    not: ["with its length", "direct", "resumable, in one request", "resumable, in two"],
  },
};

/** @returns the status that refuses it; 0 where nobody is told */
export type Sending = (
  at: At & { readonly spooling: () => Promise<boolean> },
  refusal: Refusal,
) => Promise<number>;

/** A request whose body comes in two halves, and what comes in between. */
async function halves(
  at: Parameters<Sending>[0],
  refusal: Refusal,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { bytes, meanwhile, cut, ifMatch } = refusal;
  const { hostname, port } = new URL(at.vault.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  let answer = "";
  socket.setEncoding("latin1").on("data", (piece: string) => {
    answer += piece;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const all = {
    host: "shop",
    connection: "close",
    authorization: `Bearer ${at.token}`,
    ...(ifMatch && { "if-match": '"1"' }),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
  const isChunked = "transfer-encoding" in headers;
  const write = (piece: Buffer) => {
    if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`);
    socket.write(piece);
    if (isChunked) socket.write("\r\n");
  };
  const middle = bytes.length >> 1;
  write(bytes.subarray(0, middle));
  if (meanwhile !== undefined || cut) await untilHolds(async () => answer !== "" || (await at.spooling()));
  await meanwhile?.(at);
  if (cut) socket.destroy();
  else {
    write(bytes.subarray(middle));
    if (isChunked) socket.write("0\r\n\r\n");
  }
  await closed;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

const path = ({ id }: At, { field }: Refusal) => `/v1/shop/main/papers/${id}/_files/${field}`;
const wrong = `sha-256=:${Buffer.alloc(32).toString("base64")}:`;
const proxied =
  (length: (bytes: Buffer) => Readonly<Record<string, string>>): Sending =>
  (at, refusal) =>
    halves(at, refusal, "POST", path(at, refusal), {
      ...length(refusal.bytes),
      ...(refusal.announced && { "content-digest": wrong }),
    });

const tus = { "tus-resumable": "1.0.0" };
const part = { "content-type": "application/offset+octet-stream" };

export const ways: Readonly<Record<string, Sending>> = {
  "with its length": proxied((bytes) => ({ "content-length": `${bytes.length}` })),
  "in chunks": proxied(() => ({ "transfer-encoding": "chunked" })),
  "in a form": (at, refusal) =>
    proxied(() => ({ "transfer-encoding": "chunked", ...formHeaders }))(at, {
      ...refusal,
      bytes: formOf([
        { headers: 'name="csrf"', bytes: "x" },
        { headers: 'name="file"; filename="a"', bytes: refusal.bytes },
      ]),
    }),
  async direct(at, refusal) {
    const { vault, token, id } = at;
    const { bytes, announced, meanwhile, ifMatch, field } = refusal;
    const type = "application/octet-stream";
    const other = announced && { sha256: "0".repeat(64) };
    const begun = await begin(vault, `papers/${id}/_files/${field}`, claim(bytes, { type, ...other }), {
      token,
    });
    const sent = await send(vault, begun, bytes);
    if (sent >= 400) return announced ? 422 : sent;
    await meanwhile?.(at);
    const headers = ifMatch && { "if-match": '"1"' };
    return (await vault.bring("POST", begun.path, { token, ...(headers && { headers }) })).status;
  },
  "resumable, in one request": (at, refusal) =>
    halves(at, refusal, "POST", `${path(at, refusal)}/_tus`, {
      ...tus,
      ...part,
      "upload-length": `${refusal.bytes.length}`,
      "content-length": `${refusal.bytes.length}`,
    }),
  async "resumable, in two"(at, refusal) {
    const { vault, token } = at;
    const { bytes } = refusal;
    const length = { ...tus, "upload-length": `${bytes.length}` };
    const begun = await vault.bring("POST", `${path(at, refusal)}/_tus`, { token, headers: length });
    return halves(at, refusal, "PATCH", begun.headers.get("location") ?? "", {
      ...tus,
      ...part,
      "upload-offset": "0",
      "content-length": `${bytes.length}`,
    });
  },
};
