import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** A request body that is read as it comes. */
export interface Upload {
  readonly raw: IncomingMessage;
  /** It is its client who is waited for. */
  readonly awaited: boolean;
  /** Ends it, since its client is too slow. */
  expire(): void;
}

/** How far one had come, and how often that was found to be as far. */
interface Watched {
  readonly upload: Upload;
  bytes: number;
  unchanged: number;
}

/** Looks at a body in the time that it has: these are counted, so that a busy process takes nobody's time away. */
const LOOKS = 30;

/**
 * The streamed bodies on their way to a server. One ends when nothing of it comes for some time while somebody waits for
 * it, however long the whole of it takes.
 */
export class StalledBodies {
  readonly #patience: number;
  /** By connection: one body comes on it at a time. */
  readonly #watched = new Map<Duplex, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** @param patience milliseconds in which something must come */
  constructor(patience: number) {
    this.#patience = patience;
  }

  add(upload: Upload): void {
    const { socket } = upload.raw;
    this.#watched.set(socket, { upload, bytes: socket.bytesRead, unchanged: 0 });
    this.#timer ??= setInterval(() => this.#look(), this.#patience / LOOKS).unref();
  }

  delete({ raw }: Upload): void {
    if (!this.#watched.delete(raw.socket) || this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Whether it is such a body that comes on a connection: the time in which whole requests must come is not for it. */
  isOn(socket: Duplex): boolean {
    return this.#watched.has(socket);
  }

  #look(): void {
    for (const watched of this.#watched.values()) {
      const { upload } = watched;
      const { bytesRead } = upload.raw.socket;
      watched.unchanged = upload.awaited && bytesRead === watched.bytes ? watched.unchanged + 1 : 0;
      watched.bytes = bytesRead;
      if (watched.unchanged === LOOKS) upload.expire();
    }
  }
}
