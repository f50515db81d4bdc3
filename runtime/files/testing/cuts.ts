/** A way to a server on which connections are cut. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Cuts {
  readonly url: string;
  /** Connections that were cut. */
  readonly count: number;
  stop(): Promise<void>;
}

/**
 * @param allowed bytes that the next connection may send to the server before it is cut; infinite: as many as it likes
 */
export async function cutting(target: string, allowed: () => number): Promise<Cuts> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let left = allowed();
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
    }
    client.on("data", (bytes: Buffer) => {
      const some = bytes.subarray(0, Math.min(bytes.length, left));
      left -= some.length;
      if (left > 0) {
        if (!upstream.write(some)) {
          client.pause();
          upstream.once("drain", () => client.resume());
        }
        return;
      }
      count += 1;
      // What was sent before arrives; then nobody is there.
      upstream.write(some, () => {
        upstream.destroy();
        client.destroy();
      });
    });
    client.on("close", () => upstream.destroy());
    upstream.on("data", (bytes: Buffer) => client.write(bytes));
    upstream.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    get count() {
      return count;
    },
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
