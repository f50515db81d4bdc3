import type { AnyErrorCode } from "../../client/codes.ts";
import { ApiError } from "../../client/errors.ts";
import type { HostReply, Result } from "../invocation.ts";
import type { DocumentOperation } from "./operation.ts";

/** What `ctx` asked for is refused: as HTTP would answer. */
export class StoreError extends ApiError {
  /** Of documents. */
  readonly operation: string | undefined;
  readonly collection: string | undefined;
  readonly #result: Result | undefined;

  /**
   * @param asked undefined: it was something else than documents
   * @param result of a run that does not catch it; undefined: it failed
   */
  constructor(
    status: number,
    error: ConstructorParameters<typeof ApiError<AnyErrorCode>>[1],
    asked?: DocumentOperation,
    result?: Result,
  ) {
    super(status, error, undefined);
    this.name = "StoreError";
    this.operation = asked?.operation;
    this.collection = asked?.collection;
    this.#result = result;
  }

  static resultOf(thrown: object): Result | undefined {
    return #result in thrown ? thrown.#result : undefined;
  }
}

/** The result of a run that did not catch this, where it is another than a failure. */
export function forwardedResult(thrown: unknown): Result | undefined {
  return typeof thrown === "object" && thrown !== null ? StoreError.resultOf(thrown) : undefined;
}

/**
 * What a reply holds.
 * @param asked for what was refused, where it was documents
 * @param forwards its refusals reach the caller, where nobody catches them
 * @throws StoreError where it is a refusal
 */
export function contentOf<T>(
  { status, body = "" }: HostReply,
  asked?: () => DocumentOperation,
  forwards = false,
): T {
  if (status < 400) return JSON.parse(body === "" ? "null" : body);
  const isRefusal = forwards && status < 500;
  const operation = asked?.();
  const result = isRefusal ? ({ kind: "forwarded", status, body, ...operation } as const) : undefined;
  throw new StoreError(status, errorOf(body), operation, result);
}

function errorOf(body: string): ConstructorParameters<typeof ApiError<AnyErrorCode>>[1] {
  const { error }: { error: ConstructorParameters<typeof ApiError<AnyErrorCode>>[1] } = JSON.parse(body);
  return error;
}

/** A reply that the server need not be asked for. */
export function refused(status: number, code: AnyErrorCode, message: string, requestId: string): HostReply {
  return { status, body: JSON.stringify({ error: { code, message, request_id: requestId } }) };
}
