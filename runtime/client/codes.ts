import type { ErrorCode } from "../error-codes.ts";

/** What servers say is wrong, for programs; each realm's client has an `ErrorCode` of those that the realm may say. */
export type AnyErrorCode = ErrorCode;
