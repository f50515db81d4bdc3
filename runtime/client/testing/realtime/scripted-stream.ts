import type { Asked } from "./scripted-server.ts";

const encoder = new TextEncoder();

/** One stream that the scripted server has open: bytes go out as its test says. */
export class ScriptedStream {
  asked: readonly Asked[];
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting: Uint8Array[] = [];
  readonly #isSlow: boolean;
  readonly #closed: () => void;
  #isOpen = true;

  /** @param isSlow bytes wait for {@link deliver} */
  constructor(asked: readonly Asked[], isSlow: boolean, closed: () => void) {
    this.asked = asked;
    this.#isSlow = isSlow;
    this.#closed = closed;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#end(),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Bytes that have not gone out. */
  get waiting(): number {
    return this.#waiting.reduce((sum, { length }) => sum + length, 0);
  }

  tell(event: string, data: object, id?: string): void {
    this.send(`event: ${event}\ndata: ${JSON.stringify(data)}\n${id === undefined ? "" : `id: ${id}\n`}\n`);
  }

  send(text: string): void {
    if (!this.#isOpen) return;
    const bytes = encoder.encode(text);
    if (this.#isSlow) this.#waiting.push(bytes);
    else this.#controller?.enqueue(bytes);
  }

  /** So many of the bytes that wait, as one piece. */
  deliver(most: number): void {
    const all = Buffer.concat(this.#waiting);
    const piece = all.subarray(0, most);
    this.#waiting = piece.length < all.length ? [all.subarray(most)] : [];
    if (piece.length > 0) this.#controller?.enqueue(new Uint8Array(piece));
  }

  /** No event of it will come any more. */
  forget(): void {
    this.asked = [];
  }

  /** The connection breaks: what has not gone out is lost. */
  cut(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#controller?.error(new TypeError("terminated"));
  }

  /** The server ends it. */
  end(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#controller?.close();
  }

  #end(): void {
    this.#isOpen = false;
    this.#closed();
  }
}
