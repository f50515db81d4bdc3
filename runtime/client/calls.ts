/** What the methods of fixed routes say of their calls. */
import type { AnyErrorCode } from "./codes.ts";
import type { Connection } from "./connection.ts";
import { type ApiPromise, isApiError } from "./errors.ts";
import type { Call, RequestOptions } from "./request.ts";

/** For operations that need a fresh proof of identity. */
export interface ProofOptions extends RequestOptions {
  /** From `reauthenticate`. */
  proof?: string | undefined;
}

export function proved({ proof, ...options }: ProofOptions = {}) {
  return { headers: { "X-Svc-Reauth": proof }, options };
}

/** A path in which the values are one segment each. */
export function pathWith(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: texts }, ...ids.map(encodeURIComponent));
}

/** The session that begins is used from then on. */
export function begun<T extends { session: { token?: string } }, Code extends AnyErrorCode>(
  connection: Connection,
  call: Call,
): ApiPromise<T, Code> {
  return connection.call<T, Code>(call).then((answer) => {
    connection.session = answer.session.token;
    return answer;
  });
}

/** The session that ends is not used any more. */
export function ended<Code extends AnyErrorCode>(connection: Connection, call: Call): ApiPromise<void, Code> {
  const forget = (): void => {
    connection.session = undefined;
  };
  return connection.call<void, Code>(call).then(forget, (error: unknown) => {
    // It has ended before.
    if (isApiError(error, "unauthenticated")) forget();
    throw error;
  });
}
