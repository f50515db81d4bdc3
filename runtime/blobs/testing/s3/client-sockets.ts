import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

const channel = "net.client.socket";

/** The sockets that clients of this process open, so that one can be told that its timeout has passed instead of waiting for it. */
export class ClientSockets {
  readonly #open = new Set<Socket>();
  readonly #note = (message: unknown): void => {
    if (typeof message !== "object" || message === null || !("socket" in message)) return;
    const { socket } = message;
    if (!(socket instanceof Socket)) return;
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  };

  constructor() {
    subscribe(channel, this.#note);
  }

  /**
   * Tells the socket on a local port that nothing has moved on it for its time. A socket without a timeout hears nothing, as
   * one of another process.
   */
  timeOut(port: number | undefined): void {
    for (const socket of this.#open) {
      if (socket.localPort === port && (socket.timeout ?? 0) > 0) socket.emit("timeout");
    }
  }

  close(): void {
    unsubscribe(channel, this.#note);
  }
}
