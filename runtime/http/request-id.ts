import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Spec: Common request rules 1: the client's `X-Request-ID` where it has the right form, else one of our own. Ours are a
 * prefix drawn once for the process and a counter: unique without asking for randomness at every request.
 */
export function requestIds(): (headers: IncomingHttpHeaders) => string {
  const prefix = randomBytes(9).toString("base64url");
  let made = 0;
  return (headers) => {
    const sent = headers["x-request-id"];
    if (typeof sent === "string" && acceptable.test(sent)) return sent;
    made += 1;
    return `${prefix}.${made.toString(36)}`;
  };
}
