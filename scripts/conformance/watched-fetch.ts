/**
 * In every test that starts a realm with a document: each answer that it fetches must be one that the document describes.
 * A test that gets another fails where it asked.
 */
import { startedRealms } from "../../runtime/instance/testing/started.ts";

const fetched = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await fetched(input, init);
  const request = input instanceof Request ? input : undefined;
  const { origin, pathname } = new URL(request?.url ?? String(input));
  const realms = startedRealms.get(origin);
  // Only for those that need it: the judge brings a JSON Schema compiler along.
  if (realms?.some(({ definition }) => definition.openapi !== undefined)) {
    const { faults } = await import("./watch.ts");
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    const { status, statusText, headers } = response;
    const bytes = await response.arrayBuffer();
    const text = new TextDecoder().decode(bytes);
    const found = faults(realms, method, pathname, { status, headers, text });
    if (found.length > 0) {
      throw new Error(
        `${method} ${pathname} answered ${status} ${text}\nwhich its OpenAPI document does not describe: it ${found.join("; ")}`,
      );
    }
    // As it was before it was read, which is cheaper than to read a clone.
    const again = new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
    return Object.defineProperty(again, "url", { value: response.url });
  }
  return response;
};
