import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import { isJsonObject } from "../../../runtime/json.ts";
import { type Answered, ask, type Block, type Headers, openStream, type Stream } from "../wire/requests.ts";
import { Followed, type Told, type Wanted } from "./followed.ts";
import type { Moments } from "./timeline.ts";
import { type Caller, versionOf } from "./world.ts";

/** Where a subscriber's requests go: an instance that lives, at this moment. */
export interface Place {
  url(): string;
  /** Of the caller, as they are now. */
  headersOf(caller: Caller, session: string | undefined): Headers;
}

export interface SubscriberOptions {
  readonly name: string;
  readonly caller: Caller;
  /** Which credential, where they have several. */
  readonly session: string | undefined;
  readonly place: Place;
  readonly moments: Moments;
  readonly localAddress: string | undefined;
}

/** A client as the specification describes it (Realtime stream events 4 and 5), that notes what it is told. */
export class Subscriber {
  readonly name: string;
  readonly caller: Caller;
  /** What is wrong with the stream itself, whatever it tells. */
  readonly faults: string[] = [];
  /** Since they were last taken. */
  told: Told[] = [];
  /** Reasons of resets; how streams were ended. */
  readonly seen = new Map<string, number>();
  #options: SubscriberOptions;
  readonly #followed = new Map<string, Followed>();
  #stream: Stream | undefined;
  #token: string | undefined;
  /** Counts streams: what comes of an earlier one is late. */
  #turn = 0;
  #isReady = false;
  #isOpening = false;
  /** The credential has ended, for good. */
  #ended: string | undefined;
  /** The block before, where its change has not ended yet. */
  #unfinished: Told | undefined;
  #listeners: (() => void)[] = [];

  constructor(options: SubscriberOptions, wanted: ReadonlyMap<string, Wanted>) {
    this.name = options.name;
    this.caller = options.caller;
    this.#options = options;
    for (const [id, each] of wanted) this.#followed.set(id, new Followed(each));
  }

  get ended(): string | undefined {
    return this.#ended;
  }

  get isOpen(): boolean {
    return this.#isReady;
  }

  /** Ready, and everything loaded; or over. */
  get isSettled(): boolean {
    if (this.#ended !== undefined) return true;
    return (
      this.#isReady && [...this.#followed.values()].every(({ needsLoad, isClosed }) => isClosed || !needsLoad)
    );
  }

  /** Subscriptions as they are kept: documents by id. */
  *states(): Generator<{
    readonly id: string;
    readonly wanted: Wanted;
    readonly held: ReadonlyMap<string, JsonObject>;
  }> {
    for (const [id, { wanted, held }] of this.#followed) yield { id, wanted, held };
  }

  /** Resolves when anything happens. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** The socket breaks, wherever it is. */
  cut(): void {
    this.#turn += 1;
    this.#stream?.cut();
    this.#over();
  }

  /** Comes again with another credential of the same caller, and the last token. */
  renew(session: string): void {
    if (this.#ended !== "reauth") throw new Error(`${this.name} ended by ${this.#ended}`);
    this.#options = { ...this.#options, session };
    this.#ended = undefined;
  }

  /** Goes for good. */
  leave(): void {
    this.#ended ??= "left";
    this.cut();
  }

  /** The next stream begins anew. */
  forgetToken(): void {
    if (this.#isReady || this.#isOpening) return;
    this.#token = undefined;
    for (const followed of this.#followed.values()) followed.needsLoad = true;
  }

  add(id: string, wanted: Wanted): void {
    if (!this.#isReady && !this.#isOpening) this.#followed.set(id, new Followed(wanted));
  }

  drop(id: string): void {
    if (!this.#isReady && !this.#isOpening) this.#followed.delete(id);
  }

  get subscriptions(): readonly string[] {
    return [...this.#followed.keys()];
  }

  /** Opens a stream where none is, with the last token. */
  async open(): Promise<void> {
    if (this.#isReady || this.#isOpening || this.#ended !== undefined) return;
    this.#isOpening = true;
    this.#turn += 1;
    const turn = this.#turn;
    try {
      await this.#withoutClosed();
      if (this.#ended !== undefined) return;
      const { place, localAddress } = this.#options;
      const subscriptions = [...this.#followed]
        .filter(([, { isClosed }]) => !isClosed)
        .map(([id, { wanted }]) => ({ id, db: "main", ...wanted }));
      const token = this.#token;
      const resume = token === undefined ? "" : `?resume_from=${encodeURIComponent(token)}`;
      this.#note(`asks for ${JSON.stringify(subscriptions)}${token === undefined ? "" : " with its token"}`);
      const opened = await openStream(
        `${place.url()}/_realtime${resume}`,
        {
          headers: this.#headers(),
          body: { subscriptions },
          ...(localAddress !== undefined && { localAddress }),
        },
        {
          block: (block) => turn === this.#turn && this.#take(block),
          closed: () => turn === this.#turn && this.#over(),
        },
      );
      if ("status" in opened) this.#refused(opened, token);
      else if (turn === this.#turn) this.#stream = opened;
      else opened.cut();
    } finally {
      this.#isOpening = false;
      this.#notify();
    }
  }

  /** Loads what a caller's own list shows of a subscription; undefined: the server went away, or they may not ask. */
  async list(wanted: Wanted): Promise<ReadonlyMap<string, JsonObject> | "closed" | "broken"> {
    const { place } = this.#options;
    const path = `${place.url()}/main/${wanted.collection}`;
    const found = new Map<string, JsonObject>();
    const note = (document: JsonValue) => {
      if (isJsonObject(document)) found.set(String(document["id"]), document);
    };
    if (wanted.doc !== undefined) {
      const { status, body } = await ask("GET", `${path}/${wanted.doc}`, { headers: this.#headers() });
      if (status === 200) note(body);
      return status === 200 || status === 404 ? found : this.#unlisted(status);
    }
    for (let after = ""; ; ) {
      const where =
        wanted.where === undefined ? "" : `&where=${encodeURIComponent(JSON.stringify(wanted.where))}`;
      const { status, body } = await ask("GET", `${path}?limit=100${where}${after}`, {
        headers: this.#headers(),
      });
      if (status !== 200) return this.#unlisted(status);
      const { items, next_cursor: cursor } = body;
      if (Array.isArray(items)) items.forEach(note);
      if (typeof cursor !== "string") return found;
      after = `&after=${encodeURIComponent(cursor)}`;
    }
  }

  #unlisted(status: number): "closed" | "broken" {
    if (status === 401 || status === 403) return "closed";
    if (status !== 0 && status !== 503) this.faults.push(`a list answered ${status}`);
    return "broken";
  }

  #headers(): Headers {
    const { place, session } = this.#options;
    return place.headersOf(this.caller, session);
  }

  /** A stream is refused for one subscription that the caller can read nothing of. */
  async #withoutClosed(): Promise<void> {
    for (const followed of this.#followed.values()) {
      const { collection } = followed.wanted;
      followed.isClosed = (await this.list({ collection, where: { id: "nothing" } })) === "closed";
      if (!followed.isClosed) continue;
      followed.held = new Map();
      followed.needsLoad = true;
    }
    const isOut = [...this.#followed.values()].every(({ isClosed }) => isClosed);
    if (isOut) this.#ended = "unauthenticated";
  }

  #refused({ status, code }: Answered, token: string | undefined): void {
    this.#see(`refused ${status} ${code}`);
    // It goes on without a server, and where a right was lost or the server was stopped meanwhile.
    if (status === 0 || status === 503 || status === 403) return;
    if (status === 401 && this.caller.kind === "anonymous") return;
    if (status === 401) {
      this.#ended = "unauthenticated";
      return;
    }
    this.faults.push(`a stream was refused ${status} ${code}${token === undefined ? "" : " with a token"}`);
    this.#ended = "refused";
  }

  #take(block: Block): void {
    try {
      this.#judge(block);
    } finally {
      this.#notify();
    }
  }

  #judge({ event, data, id, comment }: Block): void {
    this.#note(`${event} ${JSON.stringify(data)} ${id === undefined ? "" : "token"}`);
    if (this.#ended !== undefined) this.faults.push(`${event} after the end`);
    if (!this.#isReady && event !== "ready" && comment === undefined)
      this.faults.push(`${event} before ready`);
    switch (event) {
      case "":
        if (id === undefined && comment === undefined) this.faults.push("an empty block");
        break;
      case "ready":
        this.#ready(data);
        if (id === undefined) this.faults.push("ready without a token");
        break;
      case "created":
      case "updated":
      case "removed":
        this.#change(event, data, id !== undefined);
        break;
      case "reset":
        this.#reset(data);
        break;
      case "session_ended":
        this.#see(`session_ended ${data["reason"]}`);
        this.#ended = `session_ended ${data["reason"]}`;
        break;
      case "reauth":
        this.#see("reauth");
        if (typeof data["expires_at"] !== "string") this.faults.push("reauth without expires_at");
        this.#ended = "reauth";
        break;
      default:
        this.faults.push(`an event ${event}`);
    }
    if (id !== undefined) this.#token = id;
  }

  #ready({ subscriptions }: JsonObject): void {
    const open = [...this.#followed].filter(([, { isClosed }]) => !isClosed);
    const ids = open.map(([id]) => id);
    if (JSON.stringify(subscriptions) !== JSON.stringify(ids)) {
      this.faults.push(`ready with ${JSON.stringify(subscriptions)} instead of ${JSON.stringify(ids)}`);
    }
    this.#isReady = true;
    this.#unfinished = undefined;
    for (const [id, followed] of open) {
      followed.isOpen = true;
      if (followed.needsLoad) this.#load(id, followed);
    }
  }

  #change(event: Told["event"], data: JsonObject, isLast: boolean): void {
    const followed = this.#followed.get(String(data["sub"]));
    const document = isJsonObject(data["doc"]) ? data["doc"] : undefined;
    const version = event === "removed" ? data["version"] : document && versionOf(document);
    const id = event === "removed" ? data["id"] : document?.["id"];
    if (followed?.isOpen !== true || typeof id !== "string" || typeof version !== "number") {
      this.faults.push(`${event} with ${JSON.stringify(data)}`);
      return;
    }
    const told: Told = {
      at: this.#options.moments.next(),
      event,
      collection: followed.wanted.collection,
      id,
      version,
      view: document,
    };
    this.told.push(told);
    const before = this.#unfinished;
    if (before !== undefined && (before.id !== id || before.version !== version)) {
      this.faults.push(`the events of ${before.id}@${before.version} have no token`);
    }
    this.#unfinished = isLast ? undefined : told;
    if (followed.needsLoad) followed.buffered.push(told);
    else followed.apply(told);
  }

  #reset({ subs, reason }: JsonObject): void {
    this.#see(`reset ${reason}`);
    if (!Array.isArray(subs) || subs.length === 0) {
      this.faults.push("a reset of nothing");
      return;
    }
    for (const id of subs) {
      const followed = this.#followed.get(String(id));
      if (followed?.isOpen !== true) {
        this.faults.push(`a reset of ${id}`);
        continue;
      }
      followed.needsLoad = true;
      if (reason === "config_changed") followed.isOpen = false;
      else this.#load(String(id), followed);
    }
    // What is gone is asked for again on another stream.
    if (reason === "config_changed") setImmediate(() => this.cut());
  }

  /** Realtime stream events 4. */
  #load(id: string, followed: Followed): void {
    followed.turn += 1;
    followed.buffered = [];
    const { turn } = followed;
    const stream = this.#turn;
    this.list(followed.wanted).then(
      (found) => {
        if (turn !== followed.turn || stream !== this.#turn) return;
        if (found === "broken") return this.#load(id, followed);
        followed.held = found === "closed" ? new Map() : new Map(found);
        this.#note(`loaded ${id}: ${JSON.stringify(found === "closed" ? found : [...found.values()])}`);
        for (const told of followed.buffered) followed.apply(told);
        followed.needsLoad = false;
        this.#notify();
      },
      (error: unknown) => this.faults.push(String(error)),
    );
  }

  #over(): void {
    this.#note("over");
    this.#isReady = false;
    this.#stream = undefined;
    for (const followed of this.#followed.values()) {
      followed.isOpen = false;
      followed.turn += 1;
    }
    this.#notify();
  }

  #note(what: string): void {
    this.#options.moments.note(`${this.name}: ${what}`);
  }

  #see(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  #notify(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
