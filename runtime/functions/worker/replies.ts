import type { AnyErrorCode } from "../../client/codes.ts";
import { ApiError } from "../../client/errors.ts";
import type { HostReply, Result } from "../invocation.ts";

/** What `ctx` asked for is refused: as HTTP would answer. */
export class StoreError extends ApiError {
  readonly #result: Result | undefined;

  /** @param result of a run that does not catch it; undefined: it failed */
  constructor(
    status: number,
    error: ConstructorParameters<typeof ApiError<AnyErrorCode>>[1],
    result?: Result,
  ) {
    super(status, error, undefined);
    this.name = "StoreError";
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
 * @param forwards its refusals reach the caller, where nobody catches them
 * @throws StoreError where it is a refusal
 */
export function contentOf<T>({ status, body = "" }: HostReply, forwards = false): T {
  if (status < 400) return JSON.parse(body === "" ? "null" : body);
  const isRefusal = forwards && status < 500;
  throw new StoreError(status, errorOf(body), isRefusal ? { kind: "forwarded", status, body } : undefined);
}

function errorOf(body: string): ConstructorParameters<typeof ApiError<AnyErrorCode>>[1] {
  const { error }: { error: ConstructorParameters<typeof ApiError<AnyErrorCode>>[1] } = JSON.parse(body);
  return error;
}

/** A reply that the server need not be asked for. */
export function refused(status: number, code: AnyErrorCode, message: string, requestId: string): HostReply {
  return { status, body: JSON.stringify({ error: { code, message, request_id: requestId } }) };
}
