/** An nginx with the configuration that docs/deploying.md shows, its port and its certificate aside. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const page = new URL("../../docs/deploying.md", import.meta.url);

/** The program, which `NGINX` may name; undefined where none is installed. */
export const nginx = [
  process.env["NGINX"] ?? "",
  "/usr/sbin/nginx",
  "/usr/bin/nginx",
  "/usr/local/bin/nginx",
].find(existsSync);

/** Milliseconds that nginx has to answer. */
const PATIENCE = 20_000;

export interface ProxyServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx in front of a server and waits until it passes requests on.
 * @param folder where it keeps all that it writes; must exist
 * @param upstream the server's address, `http://host:port`
 */
export async function startProxy(folder: string, upstream: string): Promise<ProxyServer> {
  if (nginx === undefined) throw new Error("nginx is not installed");
  const port = await freePort();
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${temporary}/${name};`,
  );
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log warn; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http { access_log off; ${paths.join(" ")}
${serverBlock(port, upstream)}}`,
  );
  execFileSync(nginx, ["-t", "-p", folder, "-c", file], { stdio: "pipe" });
  const child = spawn(nginx, ["-p", folder, "-c", file], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  try {
    await answering(`${url}/readyz`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** The page's block with a port in place of TLS, and the server's address in place of the page's. */
function serverBlock(port: number, upstream: string): string {
  const [, block] = /^```nginx\n(.*?)^```/ms.exec(readFileSync(page, "utf8")) ?? [];
  if (block === undefined) throw new Error("docs/deploying.md has no nginx block");
  return block
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^ *(?:http2|ssl_certificate|ssl_certificate_key) .*\n/gm, "")
    .replace("server 127.0.0.1:8080;", `server ${new URL(upstream).host};`);
}

async function answering(url: string): Promise<void> {
  for (const until = performance.now() + PATIENCE; ; await setTimeout(20)) {
    const status = await fetch(url).then(
      ({ status }) => status,
      (error: unknown) => error,
    );
    if (status === 200) return;
    if (performance.now() > until) throw new Error(`${url} does not answer 200`, { cause: status });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP socket has an address");
  return address.port;
}
