/** A server of one collection, `sales/orders`, that does what the specification says of streams, when a test says. */
import { field } from "../../../filter/fields.ts";
import { compareDocuments, defaultOrder, type OrderKey, orderBy } from "../../../filter/order.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import type { Fetch } from "../../connection.ts";
import { ScriptedStream } from "./scripted-stream.ts";

export type Order = {
  id: string;
  status: "open" | "done";
  rank?: number | null;
  name?: string;
  /** Nothing asks for it. */
  note?: number;
  _meta: { version: number; created_at: string };
};

export interface Asked {
  readonly id: string;
  readonly db: string;
  readonly collection: string;
  readonly where?: { readonly status?: string };
  readonly doc?: string;
}

interface Change {
  readonly before: Order | undefined;
  readonly after: Order | undefined;
  /** The last version of what is gone. */
  readonly version: number;
}

/** What a request is answered in place of what it asks for. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly retryAfter?: number;
  readonly details?: readonly { path: string; reason: string }[];
}

type Response = Awaited<ReturnType<Fetch>>;

const fields = {
  rank: field("rank", ["number", "null"]),
  name: field("name", "string"),
  status: field("status", "string"),
  id: field("id", "string"),
};

export class ScriptedServer {
  readonly documents = new Map<string, Order>();
  /** Those that are open. */
  streams: ScriptedStream[] = [];
  /** Requests for streams, whatever they were answered. */
  readonly openings: {
    readonly token: string | null;
    readonly credential: string | undefined;
    readonly asked: Asked[];
  }[] = [];
  /** Reads that were answered. */
  reads = 0;
  /** What streams, or reads, are refused with. */
  refuse: ((kind: "stream" | "read", asked: readonly Asked[]) => Refusal | undefined) | undefined;
  /** Lists wait until the test lets them go. */
  isHeld = false;
  /** Documents that the caller may read. */
  allows: (document: Order) => boolean = () => true;
  /** Bytes come when the test says; else at once. */
  isSlow = false;
  readonly #history: Change[] = [];
  /** What came before has been forgotten. */
  #oldest = 0;
  readonly #tokens = new Map<
    string,
    { readonly position: number; readonly asked: readonly Asked[]; readonly access: number }
  >();
  readonly #cursors = new Map<string, JsonObject>();
  #held: (() => void)[] = [];
  #access = 0;
  #made = 0;
  #signed = 0;

  readonly fetch: Fetch = async (url, request) => {
    const { pathname, searchParams } = new URL(url);
    request.signal?.throwIfAborted();
    if (pathname.endsWith("/_realtime")) return this.#open(searchParams, request);
    const refusal = this.refuse?.("read", []);
    if (refusal !== undefined) return answerOf(refusal);
    const response = this.#read(pathname, searchParams);
    if (this.isHeld) await this.#until(request.signal);
    request.signal?.throwIfAborted();
    this.reads++;
    return response;
  };

  /** Reads that wait. */
  get waiting(): number {
    return this.#held.length;
  }

  /** Lets one of those that wait go. */
  release(at = 0): void {
    for (const release of this.#held.splice(at, 1)) release();
  }

  write(id: string, change: Partial<Omit<Order, "id" | "_meta">>): void {
    const before = this.documents.get(id);
    this.#made++;
    const created = before?._meta.created_at ?? new Date(1_000 * this.#made).toISOString();
    const version = (before?._meta.version ?? 0) + 1;
    const after: Order = {
      status: "open",
      ...before,
      ...change,
      id,
      _meta: { version, created_at: created },
    };
    this.documents.set(id, after);
    this.#record({ before, after, version });
  }

  /** Says another thing of a document, of which no version is made. */
  retell(id: string, note: number): void {
    const before = this.documents.get(id);
    if (before === undefined) return;
    const after = { ...before, note };
    this.documents.set(id, after);
    this.#record({ before, after, version: before._meta.version });
  }

  /** For good: the version that is told is the last one. */
  remove(id: string): void {
    const before = this.documents.get(id);
    if (before === undefined) return;
    this.documents.delete(id);
    this.#record({ before, after: undefined, version: before._meta.version });
  }

  /** What the caller may read is another from here on. */
  changeAccess(allows: (document: Order) => boolean): void {
    this.allows = allows;
    this.#access++;
    this.reset("access_changed");
  }

  /** Every subscription of every stream. */
  reset(reason: string): void {
    for (const stream of this.streams) {
      const subs = stream.asked.map(({ id }) => id);
      stream.tell("reset", { subs, reason }, this.#token(stream.asked));
      if (reason === "config_changed") stream.forget();
    }
  }

  /** No token reaches what is stored now. */
  forgetHistory(): void {
    this.#oldest = this.#history.length + 1;
  }

  /** Tokens so far are nobody's. */
  rotateKey(): void {
    this.#tokens.clear();
  }

  /** Ends all streams, as connections end. */
  cut(): void {
    for (const stream of this.streams) stream.cut();
  }

  /** What a list with these keys answers, all of it. */
  list(status: string | undefined, keys: readonly string[]): readonly Order[] {
    const found = [...this.documents.values()].filter((each) => this.#isInside(each, { status }));
    return found.sort(compareDocuments(orderNamed(keys)));
  }

  #record(change: Change): void {
    this.#history.push(change);
    for (const stream of this.streams) this.#tell(stream, stream.asked, change, this.#history.length);
  }

  /** Tells those of the stream's subscriptions. */
  #tell(
    stream: ScriptedStream,
    those: readonly Asked[],
    { before, after, version }: Change,
    position: number,
  ): void {
    const told = those.flatMap((asked): [string, object][] => {
      const [was, is] = [before, after].map((each) => each !== undefined && this.#follows(asked, each));
      if (is) return [[was ? "updated" : "created", { sub: asked.id, doc: after }]];
      return was ? [["removed", { sub: asked.id, id: before?.id, version }]] : [];
    });
    const token = this.#token(stream.asked, position);
    for (const [at, [event, data]] of told.entries())
      stream.tell(event, data, at === told.length - 1 ? token : undefined);
  }

  #follows({ doc, where = {} }: Asked, document: Order): boolean {
    return (doc === undefined || doc === document.id) && this.#isInside(document, where);
  }

  #isInside(document: Order, { status }: { readonly status?: string | undefined }): boolean {
    return this.allows(document) && (status === undefined || document.status === status);
  }

  #open(parameters: URLSearchParams, request: Parameters<Fetch>[1]): Response {
    const { subscriptions: asked }: { subscriptions: Asked[] } = JSON.parse(request.body ?? "");
    const token = parameters.get("resume_from");
    const credential = request.headers["Authorization"];
    this.openings.push({ token, credential, asked });
    const refusal = this.refuse?.("stream", asked);
    if (refusal !== undefined) return answerOf(refusal);
    const resumed = token === null ? undefined : this.#tokens.get(token);
    if (token !== null && resumed === undefined)
      return answerOf({ status: 400, code: "invalid_resume_token" });
    const stream = new ScriptedStream(asked, this.isSlow, () => {
      this.streams = this.streams.filter((each) => each !== stream);
    });
    request.signal?.addEventListener("abort", () => stream.cut());
    this.streams.push(stream);
    // What is replayed after it has not been seen yet.
    const reached =
      resumed === undefined ? this.#token(asked) : this.#token(asked, resumed.position, resumed.access);
    stream.tell("ready", { subscriptions: asked.map(({ id }) => id) }, reached);
    if (resumed !== undefined) this.#resume(stream, resumed);
    return {
      status: 200,
      headers: new Headers({ "Content-Type": "text/event-stream; charset=utf-8" }),
      text: () => Promise.reject(new Error("a stream is not read as text")),
      ...{ body: stream.body },
    };
  }

  #resume(
    stream: ScriptedStream,
    {
      position,
      asked,
      access,
    }: { readonly position: number; readonly asked: readonly Asked[]; readonly access: number },
  ): void {
    const before = new Set(asked.map((each) => JSON.stringify(each)));
    const goingOn = stream.asked.filter((each) => before.has(JSON.stringify(each)));
    if (access !== this.#access || position < this.#oldest) {
      const subs = goingOn.map(({ id }) => id);
      if (subs.length > 0)
        stream.tell("reset", { subs, reason: "history_expired" }, this.#token(stream.asked));
      return;
    }
    for (const [at, change] of this.#history.slice(position).entries())
      this.#tell(stream, goingOn, change, position + at + 1);
  }

  #token(
    asked: readonly Asked[],
    position: number = this.#history.length,
    access: number = this.#access,
  ): string {
    const token = `t${++this.#signed}`;
    this.#tokens.set(token, { position, asked: [...asked], access });
    return token;
  }

  #read(pathname: string, parameters: URLSearchParams): Response {
    const [, id] = /\/sales\/orders\/(.+)$/.exec(pathname) ?? [];
    if (id !== undefined) {
      const found = this.documents.get(decodeURIComponent(id));
      if (found === undefined || !this.allows(found)) return answerOf({ status: 404, code: "not_found" });
      return answer(found);
    }
    const where: { status?: string } = JSON.parse(parameters.get("where") ?? "{}");
    const keys = (parameters.get("order_by") ?? "").split(",").filter((key) => key !== "");
    const after = this.#cursors.get(parameters.get("after") ?? "");
    const compare = compareDocuments(orderNamed(keys));
    const found = this.list(where.status, keys).filter(
      (each) => after === undefined || compare(after, each) < 0,
    );
    const limit = Number(parameters.get("limit"));
    const items = found.slice(0, limit);
    const hasMore = found.length > limit;
    const last = items.at(-1);
    const cursor = `c${this.#cursors.size}`;
    if (last !== undefined) this.#cursors.set(cursor, last);
    return answer({ items, limit, skip: 0, has_more: hasMore, ...(hasMore && { next_cursor: cursor }) });
  }

  #until(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#held.push(resolve);
      signal?.addEventListener("abort", () => {
        this.#held = this.#held.filter((each) => each !== resolve);
        resolve();
      });
    });
  }
}

function orderNamed(keys: readonly string[]) {
  if (keys.length === 0) return defaultOrder;
  const named: Record<string, OrderKey["field"]> = fields;
  return orderBy(
    keys.flatMap((key) => {
      const found = named[key.replace(/^-/, "")];
      return found === undefined ? [] : { field: found, descending: key.startsWith("-") };
    }),
  );
}

function answer(value: JsonValue): Response {
  const text = JSON.stringify(value);
  return { status: 200, headers: new Headers(), text: async () => text };
}

function answerOf({ status, code, retryAfter, details }: Refusal): Response {
  const error = { code, message: "No.", request_id: "r1", ...(details && { details }) };
  const headers = new Headers(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) });
  return { status, headers, text: async () => JSON.stringify({ error }) };
}
