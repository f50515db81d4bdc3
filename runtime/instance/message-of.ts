import { StoreUnavailable } from "../store/contract/errors.ts";

/** An error as whoever started the process reads it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return error instanceof StoreUnavailable && cause instanceof Error
    ? `${message}: ${cause.message}`
    : message;
}
