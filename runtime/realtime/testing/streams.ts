import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";

/** An event as it came. */
export interface Event {
  readonly event: string;
  readonly data: JsonObject;
  /** The resume token, where it has one. */
  readonly id: string | undefined;
}

export interface StreamRequest {
  readonly token?: string | undefined;
  readonly resumeFrom?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stream that a test reads. */
export interface TestStream {
  /** The next event; comments and blocks without an event are left out. */
  next(): Promise<Event>;
  /** Events up to one that is wanted, which is the last. */
  until(wanted: (event: Event) => boolean): Promise<readonly Event[]>;
  /** The newest token that came. */
  readonly last: string | undefined;
  /** Whether the server ended it; waits until it did. */
  ended(): Promise<void>;
  close(): void;
}

/** Asks for a stream; the answer may be a refusal. */
export function request(
  url: string,
  subscriptions: JsonValue,
  { token, resumeFrom, headers }: StreamRequest = {},
  signal?: AbortSignal,
): Promise<Response> {
  const query = resumeFrom === undefined ? "" : `?resume_from=${encodeURIComponent(resumeFrom)}`;
  return fetch(`${url}${query}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ subscriptions }),
    ...(signal !== undefined && { signal }),
  });
}

/** Opens a stream. */
export async function openStream(
  url: string,
  subscriptions: JsonValue,
  options: StreamRequest = {},
): Promise<TestStream> {
  const cut = new AbortController();
  const response = await request(url, subscriptions, options, cut.signal);
  if (response.status !== 200 || response.body === null) {
    throw new Error(`no stream: ${response.status} ${await response.text()}`);
  }
  const blocks = blocksOf(response.body);
  let last: string | undefined;
  const next = async (): Promise<Event | undefined> => {
    for (;;) {
      const { value, done } = await blocks.next();
      if (done === true) return undefined;
      const { event, data, id } = readBlock(value);
      if (id !== undefined) last = id;
      if (event !== undefined && data !== undefined) return { event, data, id };
    }
  };
  const wanted = async () => {
    const event = await next();
    if (event === undefined) throw new Error("the stream has ended");
    return event;
  };
  return {
    next: wanted,
    async until(isWanted) {
      const events: Event[] = [];
      for (;;) {
        const event = await wanted();
        events.push(event);
        if (isWanted(event)) return events;
      }
    },
    get last() {
      return last;
    },
    async ended() {
      const event = await next();
      if (event !== undefined) throw new Error(`another event came: ${JSON.stringify(event)}`);
    },
    close: () => cut.abort(),
  };
}

async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    yield* blocks;
  }
}

/** What a block says, as far as it says it. */
export function readBlock(block: string): { readonly [member in keyof Event]: Event[member] | undefined } {
  const fields = new Map(
    block.split("\n").map((line) => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)] as const;
    }),
  );
  const text = fields.get("data");
  const data: unknown = text === undefined ? undefined : JSON.parse(text);
  return { event: fields.get("event"), data: isJsonObject(data) ? data : undefined, id: fields.get("id") };
}
