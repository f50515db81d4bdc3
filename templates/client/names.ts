/** What the types of a realm's client are called. */

import type { Collection, Realm } from "../../compiler/model/model.ts";
import { typeName } from "../../compiler/schema/types.ts";
import { Names } from "../print/names.ts";
import { collectionStems } from "../server/names.ts";
import { documentEndings } from "../server/types.ts";
import { namesIn } from "./parts.ts";

export interface ClientNames {
  /** The name of a collection's content, which the names of its other types begin with. */
  readonly stems: ReadonlyMap<Collection, string>;
  /** All that are given, or mean something else in the module. */
  readonly taken: Names;
}

/** Names that the part of the module which varies by realm declares. */
const declared = ["Client", "Databases", "Object", "Profile", "Shapes"];

/** @param invariant the text that stands beside them */
export function clientNames(realm: Realm, invariant: string): ClientNames {
  const taken = new Names();
  for (const name of [...declared, ...namesIn(invariant)]) if (/^[A-Z]/.test(name)) taken.claim(name);
  const endings = [...documentEndings, "Fields", "Shape"];
  const stems = new Map(
    [...collectionStems(realm)].map(
      ([collection, stem]) => [collection, taken.claimAll(typeName(stem), endings)] as const,
    ),
  );
  return { stems, taken };
}
