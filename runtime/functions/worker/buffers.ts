/** Buffers of handlers hold what was put into them, and nothing of what lay in the memory of the process before. */
import { Buffer } from "node:buffer";
import { isAnyArrayBuffer } from "node:util/types";

/** Has every way to a buffer give one that is filled. */
export function fillBuffers(): void {
  lockLengths();
  const { alloc } = Buffer;
  const cleared = (size: number): Buffer => alloc(size);
  const ways = { allocUnsafe: cleared, allocUnsafeSlow: cleared, from: clearedFrom() };
  for (const [name, value] of Object.entries(ways)) {
    Object.defineProperty(Buffer, name, { value, configurable: true, writable: true });
  }
  // Small ones would be views of a piece that nobody has cleared.
  Object.defineProperty(Buffer, "poolSize", { value: 0, configurable: false, writable: false });
}

/** Node fills as much of a buffer that it makes as that says to be long. */
function lockLengths(): void {
  const typed: object = Object.getPrototypeOf(Uint8Array.prototype);
  for (const name of ["length", "byteLength", "byteOffset", "buffer"]) {
    const known = Object.getOwnPropertyDescriptor(typed, name);
    for (const prototype of [typed, Uint8Array.prototype, Buffer.prototype])
      Object.defineProperty(prototype, name, { ...known, configurable: false });
  }
}

/**
 * `Buffer.from` makes room for as many as a list says that it has, and copies as many as there are. So lists go by an array whose
 * room is cleared.
 */
function clearedFrom(): (...all: readonly unknown[]) => Buffer {
  const original = Buffer.from;
  const from = (...all: readonly unknown[]): Buffer => Reflect.apply(original, Buffer, all);
  const Bytes = Uint8Array;
  const listed = (list: ArrayLike<number>): Buffer => from(new Bytes(list).buffer);
  const made = (value: unknown, ...rest: readonly unknown[]): Buffer => {
    if (typeof value !== "object" || value === null || isAnyArrayBuffer(value)) return from(value, ...rest);
    const plain: unknown = value.valueOf?.();
    if (plain !== value && (typeof plain === "string" || (typeof plain === "object" && plain !== null)))
      return made(plain, ...rest);
    if (isList(value)) return listed(value);
    // As Buffer.prototype.toJSON has it.
    if ("type" in value && value.type === "Buffer" && "data" in value && Array.isArray(value.data))
      return listed(value.data);
    return from(value, ...rest);
  };
  return made;
}

function isList(value: object): value is ArrayLike<number> {
  return "length" in value && typeof value.length === "number";
}
