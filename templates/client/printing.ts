/** Pieces of code that every part of a client uses. */
import { type Code, code, imported, importedType, join } from "../print/code.ts";

/** What clients are made of. */
export const runtimeModule = "realmc/client";

/** A type of it. */
export function shared(name: string): Code {
  return importedType(name, runtimeModule);
}

/** A type that is the same for all realms, by its name. */
export type TypeNamed = (name: string) => Code;

/** A function or a class of it. */
export function part(name: string): Code {
  return imported(name, runtimeModule);
}

export function unionOf(types: readonly Code[]): Code {
  return types.length === 0 ? code`never` : join(types, code` | `);
}
