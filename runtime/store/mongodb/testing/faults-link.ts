import { connect, type Socket } from "node:net";
import { errorAnswer, type ServerErrorName, writeConcernError } from "./faults-errors.ts";
import type { Member } from "./faults-member.ts";
import {
  type Command,
  type Fields,
  Messages,
  readAnswer,
  readCommand,
  responseTo,
  writeAnswer,
} from "./faults-wire.ts";

/** What happens to a command instead of what should. */
export type Fault =
  /** It fails; where it is `done`, the server did it before. */
  | { readonly error: ServerErrorName; readonly done?: boolean; readonly errmsg?: string }
  /** It is done, and the answer says that it is not confirmed. */
  | { readonly writeConcern: ServerErrorName }
  /** The connection breaks, before the server has the command or when its answer is on the way. */
  | { readonly drop: "before" | "after" }
  /** The server's answer comes otherwise; numbers in it keep their BSON types. */
  | { readonly change: (answer: Fields) => Fields }
  /** It reaches the server when the promise resolves. */
  | { readonly hold: Promise<unknown> };

/** What connections ask the proxy. */
export interface Guide {
  readonly member: Member;
  readonly isMute: boolean;
  /** What is in the way of a command; undefined where nothing is. */
  faultOf(command: Command): Fault | undefined;
}

/** One connection of the driver's and its own to the server. */
export class Link {
  readonly #proxy: Guide;
  readonly #client: Socket;
  readonly #server: Socket;
  /** What is to be done with answers, by request. */
  readonly #changes = new Map<number, (answer: Buffer) => void>();
  #mute: boolean;

  constructor(proxy: Guide, client: Socket, upstream: { host: string; port: number }) {
    this.#proxy = proxy;
    this.#client = client;
    this.#server = connect({ ...upstream, noDelay: true });
    this.#mute = proxy.isMute;
    client.setNoDelay(true);
    const fromClient = new Messages();
    const fromServer = new Messages();
    client.on("data", (chunk: Buffer) => {
      if (this.#mute) return;
      for (const message of fromClient.push(chunk)) void this.#request(message);
    });
    this.#server.on("data", (chunk: Buffer) => {
      for (const message of fromServer.push(chunk)) this.#answer(message);
    });
    for (const socket of [client, this.#server]) {
      socket.on("error", () => undefined);
      socket.on("close", () => this.destroy());
    }
  }

  mute(): void {
    this.#mute = true;
  }

  destroy(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  async #request(message: Buffer): Promise<void> {
    const command = readCommand(message);
    const { requestId } = command;
    if (command.name === "hello" || command.legacy) return this.#hello(command, message);
    const fault = this.#proxy.faultOf(command);
    if (fault === undefined) return this.#forward(message);
    if ("hold" in fault) {
      await fault.hold;
      return this.#forward(message);
    }
    if ("drop" in fault) {
      if (fault.drop === "before") return this.destroy();
      this.#changes.set(requestId, () => this.destroy());
      return this.#forward(message);
    }
    if ("change" in fault) {
      this.#changes.set(requestId, (answer) => this.#send(command, fault.change(readAnswer(answer))));
      return this.#forward(message);
    }
    if ("writeConcern" in fault) {
      const more = writeConcernError(fault.writeConcern, command, this.#proxy.member.version);
      this.#changes.set(requestId, (answer) => this.#send(command, { ...readAnswer(answer), ...more }));
      return this.#forward(message);
    }
    const failure = errorAnswer(fault.error, command, this.#proxy.member.version, fault.errmsg);
    if (fault.done !== true) return this.#send(command, failure);
    this.#changes.set(requestId, () => this.#send(command, failure));
    return this.#forward(message);
  }

  /** Answered by the server, made this member's own; a stream of answers is kept up here. */
  #hello(command: Command, message: Buffer): void {
    const { body, requestId } = command;
    if (!command.exhaust || !("topologyVersion" in body)) {
      this.#changes.set(requestId, (answer) =>
        this.#send(command, this.#proxy.member.hello(readAnswer(answer))),
      );
      this.#forward(message);
    } else {
      void this.#helloStream(command);
    }
  }

  async #helloStream(command: Command): Promise<void> {
    const { member } = this.#proxy;
    // Asked once in the plain form, the server's answer serves for all.
    const plain = await this.#ownHello();
    let { topologyVersion } = command.body;
    let requestId = command.requestId;
    while (!this.#client.destroyed) {
      await member.changed(topologyVersion, Number(command.body["maxAwaitTimeMS"]));
      topologyVersion = member.version;
      const answer = writeAnswer({ requestId, legacy: false }, member.hello(plain), true);
      requestId = answer.readInt32LE(4);
      if (!this.#mute) this.#client.write(answer);
    }
  }

  #ownHello(): Promise<Fields> {
    const requestId = 0x7fff0000;
    const request = writeAnswer({ requestId: 0, legacy: false }, { hello: 1, $db: "admin" });
    request.writeInt32LE(requestId, 4);
    return new Promise((resolve) => {
      this.#changes.set(requestId, (answer) => resolve(readAnswer(answer)));
      this.#forward(request);
    });
  }

  #forward(message: Buffer): void {
    this.#server.write(message);
  }

  #answer(message: Buffer): void {
    const change = this.#changes.get(responseTo(message));
    this.#changes.delete(responseTo(message));
    if (change !== undefined) change(message);
    else if (!this.#mute) this.#client.write(message);
  }

  #send(command: Command, body: Fields): void {
    if (!this.#mute) this.#client.write(writeAnswer(command, body));
  }
}
