import type { Access } from "../documents/access.ts";
import { credentialOf } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";

/** Whom a stream's tokens are for: whoever comes again with another credential of the same caller may go on. */
export function callerOf({ caller }: Access): string {
  return (caller === undefined ? undefined : credentialOf(caller)) ?? "anybody";
}

/** Whose streams are counted together: whoever shows no credential is their address (realtime.md, Opening a stream 2). */
export function countedAs(access: Access, { address }: Exchange): string {
  const caller = callerOf(access);
  return caller === "anybody" ? `address ${address}` : caller;
}
