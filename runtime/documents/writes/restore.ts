import type { StoredDocument } from "../../store/contract/document.ts";
import { requireValid } from "../../validation/details.ts";
import type { Access } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { ownMembers } from "../draft.ts";
import { type Existing, modifyExisting, type Target } from "./existing.ts";
import { rewritten } from "./update.ts";

/**
 * One attempt to make the next version of a deleted document, live again.
 * @returns undefined when somebody else has written in between
 * @throws ApiError as `modifyExisting` does; `validation_error` where it does not fit the schema any longer
 */
export async function restoreExisting(
  collection: Collection,
  access: Access,
  documents: Documents,
  target: Target,
): Promise<StoredDocument | undefined> {
  const { definition, files } = collection;
  const restored = (found: Existing) => {
    const whole = ownMembers(found.document);
    const judged = files?.apart(whole) ?? whole;
    requireValid(definition, judged, []);
    const members = files?.together(judged, found.document) ?? judged;
    return rewritten(collection, access, found, members);
  };
  return (await modifyExisting(collection, access, documents, target, restored))?.document;
}
