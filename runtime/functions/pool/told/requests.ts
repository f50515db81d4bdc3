/** What a thread asks for, read as what a stranger asks: each throws where it is nothing that a thread asks for. */
import { type AskedFetch, redirectModes } from "../../fetch/guarded.ts";
import type { HostRequest } from "../../invocation.ts";
import type { DocumentsRequest, FromThread } from "../../messages.ts";
import { unpackHeaders } from "../../packing.ts";
import { amount, object, oneOf, optional, text } from "./values.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const satisfies DocumentsRequest["method"][];
const ways = ["function", "caller"] as const;

export function documentsTold(
  message: Extract<FromThread, readonly ["documents", ...unknown[]]>,
): HostRequest {
  const [kind, , , as, method, path, search, packed, body] = message;
  const headers = unpackHeaders(text(packed));
  for (const name in object(headers)) text(headers[name]);
  return {
    ...{ kind, as: oneOf(ways, as), method: oneOf(methods, method) },
    ...{ path: text(path), search: text(search), headers, body: optional(text, body) },
  };
}

export function requestTold(request: Exclude<HostRequest, DocumentsRequest>): HostRequest {
  switch (request.kind) {
    case "organization":
      return { kind: request.kind, id: text(request.id) };
    case "claims":
      return { kind: request.kind, id: text(request.id), claims: text(request.claims) };
    case "enqueue": {
      const { kind, function: name, input, delay, key } = request;
      return {
        ...{ kind, function: text(name), input: text(input) },
        ...(delay !== undefined && { delay: amount(delay) }),
        ...(key !== undefined && { key: text(key) }),
      };
    }
    case "mail": {
      const { kind, to, subject, text: body, html } = request;
      const address = typeof to === "string" ? to : { user: text(object(to)["user"]) };
      const shared = { kind, to: address, subject: text(subject), text: text(body) };
      return html === undefined ? shared : { ...shared, html: text(html) };
    }
    default:
      throw new TypeError("a thread asks for nothing of this kind");
  }
}

export function fetchTold({ url, method, headers, body, redirect }: AskedFetch): AskedFetch {
  if (body !== undefined && !(body instanceof Uint8Array)) throw new TypeError("no such body");
  return {
    ...{ url: text(url), method: text(method), headers: text(headers), body },
    redirect: oneOf(redirectModes, redirect),
  };
}

/** The number of a request, by which the thread knows the answer. */
export function idTold(id: unknown): number {
  return amount(id);
}
