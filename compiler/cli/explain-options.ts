/** What the command line of `realmc explain` says of a decision. */
import type { Collection, Realm } from "../model/model.ts";

export interface ExplainDecisionOptions {
  /** A caller's name in the file of rule tests, a user's id on the server; else JSON, or `@` and a file. */
  readonly as?: string;
  /** The same of a document. */
  readonly doc?: string;
  readonly op?: string;
  /** What is written: JSON, or `@` and a file. */
  readonly data?: string;
  readonly org?: string;
  readonly team?: string;
  /** A file of rule tests. */
  readonly tests?: string;
  /** Where a server answers. */
  readonly url?: string;
  readonly config?: string;
  readonly format: "text" | "json";
}

/** What is asked about; functions have no collection. */
export interface Subject {
  readonly realm: Realm;
  readonly collection?: Collection;
}
