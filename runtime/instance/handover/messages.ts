/** What the server that hands over and the next one tell each other. */

/** Tells the next server that it is one: where the listening socket's descriptor and URL are. */
export const inheritance = "REALMC_HANDOVER";

export interface Inheritance {
  readonly fd: number;
  readonly url: string;
}

/** From the next one. */
export type Tidings =
  /** All is loaded that needs no store. */
  | { readonly kind: "loaded" }
  /** It serves. */
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string };

/** To the next one. */
export type Order =
  /** The store is free, or shared. */
  | { readonly kind: "take" }
  /** Comes with a connection, unread. */
  | { readonly kind: "connection" }
  /** Those that waited have come. */
  | { readonly kind: "serve" }
  /** The last one came. */
  | { readonly kind: "done" };
