/** What the pool and a thread tell each other: several at a time, in their order. */
import type { CallerView, FunctionInput, HostReply, HostRequest, LogLine, Result } from "./invocation.ts";

/** What a thread is made with. */
export interface ThreadBounds {
  /** Bytes of the body of a request that a handler makes. */
  readonly requestBytes: number;
  /** Bytes of what a handler returns. */
  readonly outputBytes: number;
}

/** The function that a thread runs from then on. */
export interface FunctionSetup {
  /** URL of the bundled handler. */
  readonly url: string;
  readonly network: readonly string[];
  /** Of the body of an answer to `ctx.fetch`. */
  readonly answerBytes: number;
  readonly mail: boolean;
}

export type ToThread =
  | { readonly kind: "load"; readonly setup: FunctionSetup }
  | {
      readonly kind: "run";
      readonly run: number;
      readonly input: FunctionInput;
      readonly requestId: string;
      readonly caller: CallerView | undefined;
      readonly secrets: Readonly<Record<string, string>>;
    }
  | { readonly kind: "reply"; readonly run: number; readonly request: number; readonly reply: HostReply }
  /** The run is to end. */
  | { readonly kind: "abort"; readonly run: number };

export type FromThread =
  | { readonly kind: "up" }
  | { readonly kind: "request"; readonly run: number; readonly id: number; readonly request: HostRequest }
  | { readonly kind: "log"; readonly run: number; readonly line: LogLine }
  | {
      readonly kind: "done";
      readonly run: number;
      readonly result: Result;
      /** Nothing of the run is left in the thread: it may run the next. */
      readonly clean: boolean;
    };
