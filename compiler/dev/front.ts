/** The port of `realmc dev`: it stays while servers behind it come and go, and what arrives in between waits. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

export interface Front {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /** Gives connections to `take` from now on, those that wait first. */
  open(take: (connection: Socket) => void): void;
  /** Connections wait. */
  hold(): void;
  /** Connections are told that nothing is served, and why. */
  refuse(message: string): void;
  close(): Promise<void>;
}

/** @throws what hinders listening */
export async function openFront(host: string, port: number): Promise<Front> {
  const waiting = new Set<Socket>();
  const hold = (connection: Socket): void => {
    waiting.add(connection);
    connection.once("close", () => waiting.delete(connection));
  };
  let take: (connection: Socket) => void = hold;
  // Nothing is read here: what a client sends is for the server.
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (connection) => {
    connection.on("error", () => connection.destroy());
    take(connection);
  });
  server.listen(port, host === "localhost" ? "127.0.0.1" : host);
  await once(server, "listening");
  const flush = (): void => {
    for (const connection of [...waiting]) {
      waiting.delete(connection);
      take(connection);
    }
  };
  return {
    ...addressOf(server.address()),
    open(next) {
      take = next;
      flush();
    },
    hold() {
      take = hold;
    },
    refuse(message) {
      take = (connection) => refuseConnection(connection, message);
      flush();
    },
    async close() {
      for (const connection of waiting) connection.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** In the form of the server's own answers. */
function refuseConnection(connection: Socket, message: string): void {
  const body = JSON.stringify({ error: { code: "unavailable", message } });
  const head = [
    "HTTP/1.1 503 Service Unavailable",
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "cache-control: no-store",
    "connection: close",
  ];
  connection.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // The request is of no interest, but must be read: closing before would take the answer from the client.
  connection.resume();
}

function addressOf(
  address: ReturnType<ReturnType<typeof createServer>["address"]>,
): Pick<Front, "url" | "port"> {
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  const { family, address: host, port } = address;
  return { url: `http://${family === "IPv6" ? `[${host}]` : host}:${port}`, port };
}
