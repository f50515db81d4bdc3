import { ApiError } from "../../errors.ts";
import { type Caller, isSession, type SessionCaller } from "../../realm/caller.ts";
import { unauthenticated } from "../authenticate.ts";

/**
 * Somebody in a session of their own.
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === "anonymous") throw unauthenticated("This needs a session.");
  if (isSession(caller)) return caller;
  throw new ApiError("forbidden", "This needs a session; API keys have none.");
}
