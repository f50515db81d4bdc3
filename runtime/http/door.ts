import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Log } from "../realm/exchange.ts";
import { baseAddress } from "./base-address.ts";

/** A listening socket. It outlives the servers behind it: who takes its connections may change. */
export interface Door {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The listening socket's, for another process to inherit; undefined where the system has none. */
  readonly descriptor: number | undefined;
  /** Who takes connections from now on. */
  open(take: (connection: Socket) => void): void;
  /** Accepts no more; another process that has the socket does. */
  close(): void;
}

/**
 * Listens.
 * @param at an address, or a listening socket that this process inherited
 * @param most connections that are open at a time; those beyond are closed at once, and the log tells of it once a minute
 */
export async function openDoor(
  at: { readonly host: string; readonly port: number } | { readonly fd: number },
  most: number,
  log: Log,
): Promise<Door> {
  let take: (connection: Socket) => void = (connection) => connection.destroy();
  // As Node sets up connections for an HTTP server.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (connection) => take(connection));
  boundConnections(server, most, log);
  if ("fd" in at) server.listen(at);
  else server.listen(at.port, at.host === "localhost" ? "127.0.0.1" : at.host);
  await once(server, "listening");
  return {
    url: baseAddress(server.address()),
    get descriptor() {
      const descriptor = internal(server, "fd");
      return typeof descriptor === "number" && descriptor >= 0 ? descriptor : undefined;
    },
    open(next) {
      take = next;
    },
    close: () => void server.close(),
  };
}

function boundConnections(server: Server, most: number, log: Log): void {
  server.maxConnections = most;
  let told = Number.NEGATIVE_INFINITY;
  server.on("drop", () => {
    if (performance.now() - told < 60_000) return;
    told = performance.now();
    log.warn({ connections: most }, "connections are refused: SVC_MAX_CONNECTIONS are open");
  });
}

/**
 * Leaves with the kernel what arrives on a connection from now on, for whoever reads it next, if need be in another
 * process. Node says that only to those that never read anything (`pauseOnConnect`), though it can do it at any time.
 * @returns false where it cannot
 */
export function stopReading(connection: Socket): boolean {
  return change(connection, "readStop", false);
}

/** Reads on, in this process. */
export function startReading(connection: Socket): boolean {
  return change(connection, "readStart", true);
}

function change(connection: Socket, name: "readStop" | "readStart", reading: boolean): boolean {
  const handle: unknown = Reflect.get(connection, "_handle");
  if (typeof handle !== "object" || handle === null) return false;
  const call: unknown = Reflect.get(handle, name);
  if (typeof call !== "function") return false;
  Reflect.apply(call, handle, []);
  return Reflect.set(handle, "reading", reading);
}

function internal(owner: Server, name: string): unknown {
  const handle: unknown = Reflect.get(owner, "_handle");
  return typeof handle === "object" && handle !== null ? Reflect.get(handle, name) : undefined;
}
