import { isId } from "../ids.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Visibility } from "../store/contract/document.ts";
import { type Access, blamed } from "./access.ts";
import type { Collection } from "./collection.ts";
import { parseDocument } from "./encode.ts";
import { notFound } from "./errors.ts";
import { hiding } from "./writes/existing.ts";

/**
 * The error of a read that found no document. Where refusals are explained, it is looked for once more, since it may be one
 * that a rule hides.
 */
export async function missing(
  { explains }: Pick<RealmInstance, "explains">,
  collection: Collection,
  access: Access,
  id: string,
  visibility: Visibility,
): Promise<Error> {
  const error = notFound();
  if (explains !== true || access.context === undefined || !isId(id)) return error;
  const stored = await collection.documents.get(id, visibility);
  if (stored === undefined) return error;
  const document = parseDocument(stored.text);
  const rule = hiding(collection.definition, access, document);
  return rule === undefined ? error : blamed(error, collection.definition, access, rule, { document });
}
