import type { Access } from "../documents/access.ts";
import type { Exchange } from "../realm/exchange.ts";

/** Whom a stream's tokens are for: whoever comes again with another credential of the same caller may go on. */
export function callerOf({ caller }: Access): string {
  if (caller === undefined || caller.kind === "anonymous") return "anybody";
  if (caller.kind === "key") return `key ${caller.keyId}`;
  const { credential, user } = caller;
  return credential.kind === "session" ? `user ${user.id}` : `user ${user.id} by key ${credential.key.keyId}`;
}

/** Whose streams are counted together: whoever shows no credential is their address (realtime.md, Opening a stream 2). */
export function countedAs(access: Access, { address }: Exchange): string {
  const caller = callerOf(access);
  return caller === "anybody" ? `address ${address}` : caller;
}
