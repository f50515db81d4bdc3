/**
 * In every test that starts a realm with a document: each answer that it fetches must be one that the document describes.
 * A test that gets another fails where it asked; of event streams, where it reads the event.
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
    const { isEventStream, judged } = await import("./events.ts");
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    const { status, statusText, headers } = response;
    const check = (text: string) => {
      const found = faults(realms, method, pathname, { status, headers, text });
      if (found.length > 0) {
        throw new Error(
          `${method} ${pathname} answered ${status} ${text}\nwhich its OpenAPI document does not describe: it ${found.join("; ")}`,
        );
      }
    };
    if (isEventStream(headers) && response.body !== null) {
      check("");
      const stream = new Response(judged(response.body, check), { status, statusText, headers });
      return Object.defineProperty(stream, "url", { value: response.url });
    }
    const bytes = await response.arrayBuffer();
    check(new TextDecoder().decode(bytes));
    // As it was before it was read, which is cheaper than to read a clone.
    const again = new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
    return Object.defineProperty(again, "url", { value: response.url });
  }
  return response;
};
