import type { Decide, DocumentReader, DocumentWriter, Modification } from "./contract/collection.ts";
import type { Visibility } from "./contract/document.ts";

/**
 * `modify` where others may write in between: what was decided is done if the document still has the version that was found.
 * @returns undefined when somebody else has written in between
 */
export async function modifyByVersion<M extends Modification>(
  documents: DocumentReader & Pick<DocumentWriter, "replace" | "remove">,
  id: string,
  visibility: Visibility,
  decide: Decide<M>,
): Promise<M | undefined> {
  const found = await documents.get(id, visibility);
  const modification = decide(found);
  if (found === undefined || modification.kind === "keep") return modification;
  const isDone =
    modification.kind === "replace"
      ? await documents.replace(found.version, modification.document)
      : await documents.remove(id, found.version);
  return isDone ? modification : undefined;
}
