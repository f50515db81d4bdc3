import type { JsonObject } from "../../../runtime/json.ts";
import type { Sent } from "../send.ts";
import type { Names } from "./town.ts";

/** A request, but for its method. */
export interface Ask extends Sent {
  /** Below the realm. */
  readonly path: string;
}

export type Asks = (names: Names) => readonly Ask[];

/** A body that is well, and bodies that are not: who may not know of the organization is not told of the body. */
export function bodies(path: string, body: JsonObject): readonly Ask[] {
  return [
    { path, body },
    { path, body: { nonsense: true } },
    { path, text: "{" },
    { path, text: "{}", headers: { "content-type": "text/plain" } },
    { path: `${path}?nonsense=1`, body },
  ];
}
