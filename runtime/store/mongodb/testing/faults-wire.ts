import { BSON } from "mongodb";

/** MongoDB's wire protocol, as much of it as a proxy between driver and server needs (manual: MongoDB Wire Protocol). */

export type Fields = Readonly<Record<string, unknown>>;

/** A command on its way to the server. */
export interface Command {
  /** For example `insert`. */
  readonly name: string;
  readonly database: string;
  readonly body: Fields;
  readonly requestId: number;
  /** The driver opens connections with a hello in the old form. */
  readonly legacy: boolean;
  /** More answers than one may follow. */
  readonly exhaust: boolean;
}

const headerBytes = 16;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const moreToCome = 1 << 1;
const exhaustAllowed = 1 << 16;

/** Cuts what comes from a socket into messages. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): readonly Buffer[] {
    const messages: Buffer[] = [];
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#rest = rest;
    return messages;
  }
}

export function readCommand(message: Buffer): Command {
  const requestId = message.readInt32LE(4);
  if (message.readInt32LE(12) === opQuery) {
    const body = parse(message, message.indexOf(0, headerBytes + 4) + 1 + 8);
    return { ...named(body), body, requestId, legacy: true, exhaust: false };
  }
  const body = parse(message, bodyStart(message));
  const exhaust = (message.readUInt32LE(headerBytes) & exhaustAllowed) !== 0;
  return { ...named(body), body, requestId, legacy: false, exhaust };
}

function named(body: Fields): Pick<Command, "name" | "database"> {
  return { name: Object.keys(body)[0] ?? "", database: String(body["$db"] ?? "admin") };
}

/** Which request a server's message answers. */
export function responseTo(message: Buffer): number {
  return message.readInt32LE(8);
}

/** The document of an answer; numbers keep their BSON types. */
export function readAnswer(message: Buffer): Fields {
  return parse(message, message.readInt32LE(12) === opReply ? headerBytes + 20 : bodyStart(message), false);
}

let requestIds = 0;

/** An answer in the form of its request. */
export function writeAnswer(
  { requestId, legacy }: Pick<Command, "requestId" | "legacy">,
  body: Fields,
  more = false,
): Buffer {
  const head = Buffer.alloc(legacy ? headerBytes + 20 : headerBytes + 5);
  const document = BSON.serialize(body);
  requestIds += 1;
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(requestIds, 4);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(legacy ? opReply : opMsg, 12);
  if (legacy) head.writeInt32LE(1, headerBytes + 16);
  else if (more) head.writeInt32LE(moreToCome, headerBytes);
  return Buffer.concat([head, document]);
}

/** Where the document of an OP_MSG begins, behind document sequences perhaps. */
function bodyStart(message: Buffer): number {
  let at = headerBytes + 4;
  while (message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  return at + 1;
}

function parse(message: Buffer, at: number, promoteValues = true): Fields {
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)), {
    promoteValues,
    bsonRegExp: !promoteValues,
  });
}
