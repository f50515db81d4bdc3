/**
 * What the pool and a thread tell each other: several messages at a time, in their order. They are tuples of text and
 * numbers, which take a third of the time of objects to be copied from one heap to the other.
 */
import type { AskedFetch, FetchReply } from "./fetch/guarded.ts";
import type { CallerView, HostRequest, LogLine, Result, TriggerInput } from "./invocation.ts";

/** What a thread is made with. */
export interface ThreadBounds {
  /** Bytes of the body of a request that a handler makes. */
  readonly requestBytes: number;
  /** Bytes of what a handler returns. */
  readonly outputBytes: number;
}

/** All that it is made with. */
export interface ThreadData {
  readonly bounds: ThreadBounds;
  /** Of the `Starts` of its runs. */
  readonly starts: SharedArrayBuffer;
}

/** The function that a thread runs from then on. */
export interface FunctionSetup {
  /** Of the bundled handler. */
  readonly path: string;
  /** It may fetch: its `network` is not empty. */
  readonly fetches: boolean;
  readonly mail: boolean;
}

/** A body that is not long goes as text, a character a byte. */
export type PackedBytes = string | Uint8Array;

/** JSON text of headers. */
type PackedHeaders = string;

export type PackedInput =
  | readonly [
      kind: "webhook",
      method: string,
      path: string,
      search: string,
      headers: PackedHeaders,
      body: PackedBytes,
    ]
  | readonly [kind: "call", input: string]
  | readonly [kind: "trigger", input: TriggerInput]
  | readonly [kind: "schedule", at: string, attempt: number];

/** A run that stands in line from then on. */
export type RunMessage = readonly [
  kind: "run",
  run: number,
  requestId: string,
  input: PackedInput,
  caller: CallerView | undefined,
];

export type ToThread =
  | readonly [kind: "load", setup: FunctionSetup]
  /** Of the runs that are told of after it. */
  | readonly [kind: "secrets", secrets: Readonly<Record<string, string>>]
  | RunMessage
  | readonly [
      kind: "reply",
      run: number,
      request: number,
      status: number,
      etag: string | undefined,
      body: string | undefined,
    ]
  | readonly [kind: "fetched", run: number, id: number, reply: FetchReply]
  /** The run is to end. */
  | readonly [kind: "abort", run: number];

export type PackedResult =
  | readonly [kind: "webhook", status: number, headers: PackedHeaders, body: PackedBytes, isText: boolean]
  | readonly [kind: "call", output: string]
  | readonly [kind: "other", result: Result];

export type FromThread =
  | readonly [kind: "up"]
  | readonly [
      kind: "documents",
      run: number,
      id: number,
      as: "function" | "caller",
      method: DocumentsRequest["method"],
      path: string,
      search: string,
      headers: PackedHeaders,
      body: string | undefined,
    ]
  | readonly [kind: "request", run: number, id: number, request: Exclude<HostRequest, DocumentsRequest>]
  | readonly [kind: "fetch", run: number, id: number, asked: AskedFetch]
  /** Nobody waits for it any more. */
  | readonly [kind: "unfetch", run: number, id: number]
  | readonly [kind: "log", run: number, line: LogLine]
  | readonly [
      kind: "done",
      run: number,
      result: PackedResult,
      /** Milliseconds. */
      duration: number,
      /** Nothing of the run is left in the thread: it may run the next. */
      clean: boolean,
    ];

export type DocumentsRequest = Extract<HostRequest, { kind: "documents" }>;
