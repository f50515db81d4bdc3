import { storeNameOf } from "../realm/definition.ts";
import type { Log } from "../realm/exchange.ts";
import type { PassEnd, PassOptions } from "./pass.ts";

/** Documents of a pass that the log names: of a migration that refuses all of them it would be full. */
const TOLD = 100;

/** Says in the log which documents stay as they are, and why: the first of a pass. */
export function tellingRefused({ definition }: Pick<PassOptions, "definition">, log: Log) {
  const about = { realm: definition.realm, collection: storeNameOf(definition) };
  let left = TOLD;
  return (id: string, reason: string): void => {
    if (left > 0) log.warn({ ...about, id, reason }, "the document is not migrated");
    left -= 1;
  };
}

/** Says in the log how a pass of a server ended, where it is over. */
export function tellEnd({ definition }: Pick<PassOptions, "definition">, end: PassEnd, log: Log): void {
  const about = { realm: definition.realm, collection: storeNameOf(definition) };
  if (end === "done") log.info(about, "documents are migrated");
  if (end === "failed") log.warn(about, "documents could not be migrated; GET /_admin/migrations names them");
}
