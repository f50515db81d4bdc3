/** The next server, which takes over from that which started it. */
import { Socket } from "node:net";
import { openDoor } from "../../http/door.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Log } from "../../realm/exchange.ts";
import type { Instance, LaterDoor } from "../instance.ts";
import { tellFollower } from "./following.ts";
import { type Inheritance, inheritance, type Order, type Tidings } from "./messages.ts";

export interface Inheriting {
  readonly door: LaterDoor;
  /** Resolves when the store is this process's turn: the other gave it up, or is gone. */
  turn(): Promise<void>;
  /** This process serves from now on, connections too that the other had accepted. */
  serves(instance: Instance): void;
  /** It cannot; the other goes on. */
  failed(reason: string): Promise<void>;
}

/** What this process inherits, if another server started it to hand over. */
export function inheriting(mostConnections: number, log: Log): Inheriting | undefined {
  const given = inherited();
  if (given === undefined) return undefined;
  const gone = process.connected
    ? new Promise<void>((resolve) => process.once("disconnect", resolve))
    : Promise.resolve();
  return {
    door: { url: given.url, open: () => openDoor({ fd: given.fd }, mostConnections, log) },
    async turn() {
      const told = new Promise<void>((resolve) => {
        process.on("message", (order: Order) => {
          if (order.kind === "take") resolve();
        });
      });
      tell({ kind: "loaded" });
      await Promise.race([told, gone]);
    },
    serves(instance) {
      // They come one by one, a turn of both processes each: whoever serves the first of them meanwhile keeps the last waiting.
      const held: Socket[] = [];
      let take = (connection: Socket): void => void held.push(connection);
      const serve = () => {
        take = (connection) => instance.accept(connection);
        for (const connection of held.splice(0)) take(connection);
      };
      process.on("message", (order: Order, connection: unknown) => {
        if (order.kind === "done") process.disconnect?.();
        else if (order.kind === "serve") serve();
        else if (order.kind === "connection" && connection instanceof Socket) take(connection);
      });
      void gone.then(serve);
      tellFollower();
      tell({ kind: "ready" });
    },
    async failed(reason) {
      await new Promise<void>((resolve) => {
        const tidings: Tidings = { kind: "failed", reason };
        if (process.connected) process.send?.(tidings, undefined, {}, () => resolve());
        else resolve();
      });
    },
  };
}

/** Read once: what this process starts inherits nothing. */
function inherited(): Inheritance | undefined {
  const text = process.env[inheritance];
  delete process.env[inheritance];
  if (text === undefined) return undefined;
  const given: unknown = JSON.parse(text);
  if (!isInheritance(given))
    throw new Error(`${inheritance} is set by servers that hand over, and by nobody else`);
  return given;
}

function isInheritance(given: unknown): given is Inheritance & JsonObject {
  return isJsonObject(given) && typeof given["fd"] === "number" && typeof given["url"] === "string";
}

function tell(tidings: Tidings): void {
  // The other may be gone: this process then serves alone.
  if (process.connected) process.send?.(tidings, undefined, {}, () => undefined);
}
