import { createServer } from "node:http";
import { baseAddress } from "./base-address.ts";
import type { Metrics } from "./metrics.ts";

/** `/metrics` at an address of its own, for who is not to reach anything else. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @throws what hinders listening */
export async function serveMetrics(
  { text, contentType }: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    request.resume();
    const isKnown = request.url?.split("?", 1)[0] === "/metrics";
    if (!isKnown || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(isKnown ? 405 : 404, isKnown ? { allow: "GET, HEAD" } : {}).end();
      return;
    }
    text().then(
      (figures) => response.writeHead(200, { "content-type": contentType }).end(figures),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `${baseAddress(server.address())}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
