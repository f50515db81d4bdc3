/**
 * `npx tsx scripts/live-page/serve.ts [address of the server]`: bundles the page and serves it, and with it what the server
 * serves, so that both are of one origin. Default: the server that `npm start` starts.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const pathOf = (name: string): string => fileURLToPath(new URL(`page/${name}`, import.meta.url));

/** @param port 0: any that is free */
export async function servePage(api: string, port: number): Promise<Server> {
  const { outputFiles } = await build({
    entryPoints: [pathOf("page.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
  });
  const files = new Map<string | undefined, readonly [string, Uint8Array | undefined]>([
    ["/", ["text/html", readFileSync(pathOf("index.html"))]],
    ["/page.css", ["text/css", readFileSync(pathOf("page.css"))]],
    ["/page.js", ["text/javascript", outputFiles[0]?.contents]],
  ]);
  const server = createServer((incoming, outgoing) => {
    const file = files.get(incoming.url);
    if (file !== undefined) {
      const [type, content] = file;
      const headers = { "Content-Type": `${type}; charset=utf-8`, "X-Content-Type-Options": "nosniff" };
      outgoing.writeHead(200, headers).end(content);
      return;
    }
    const { method, headers, url = "/" } = incoming;
    const asked = request(new URL(url, api), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    asked.on("error", () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    });
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Where a server listens. */
export function addressOf(server: Server): string {
  const { port }: Pick<AddressInfo, "port"> = listening(server.address());
  return `http://127.0.0.1:${port}`;
}

function listening(address: ReturnType<Server["address"]>): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("not listening");
  return address;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , api = "http://127.0.0.1:8080"] = process.argv;
  console.log(addressOf(await servePage(api, Number(process.env["PORT"] ?? 8081))));
}
