/** `realmc/migrations`: what migrations in TypeScript are written with. */
export type { JsonObject } from "../json.ts";

/** What takes documents from one form to the next. Both ways are pure; documents are without `id` and `_meta`. */
export interface Migration<From, To> {
  readonly forward: (document: From, about: { readonly id: string }) => To;
  /** Undoes it; with it an old and a new server may share a store. */
  readonly back?: (document: To, about: { readonly id: string }) => From;
}

/** The default export of a migration: `From` and `To` are documents as they were and as they are to be. */
export function migrate<From, To>(migration: Migration<From, To>): Migration<From, To> {
  return migration;
}
