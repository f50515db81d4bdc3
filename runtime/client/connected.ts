/** What a client's parts are made of: a connection that knows, for the compiler, which realm it leads to. */
import type { AnyErrorCode } from "./codes.ts";
import { type ClientOptions, Connection } from "./connection.ts";
import type { AdministratorError, RealmTypes } from "./realm.ts";

declare const realm: unique symbol;
declare const further: unique symbol;

/** @typeParam Further codes that the way on which documents are reached answers beside theirs */
export interface Connected<R extends RealmTypes, Further extends AnyErrorCode = never> {
  readonly connection: Connection;
  /** Where the databases are, below `/v1/{realm}/`. */
  readonly base: string;
  readonly [realm]?: R;
  readonly [further]?: Further;
}

export function connectTo<R extends RealmTypes>(
  name: string,
  hasAccounts: R["accounts"],
  options: ClientOptions,
): Connected<R> {
  return { connection: new Connection(name, hasAccounts, options), base: "" };
}

/** All documents, past the access rules: for administrators. */
export function administered<R extends RealmTypes>({
  connection,
}: Connected<R>): Connected<R, AdministratorError<R>> {
  return { connection, base: "_admin/data/" };
}
