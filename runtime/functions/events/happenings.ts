import type { Delivery } from "../../feed/queue.ts";
import type { JsonObject } from "../../json.ts";
import type { DocumentEvent } from "../../realm/functions.ts";

/** What a change is to triggers. */
export interface Happening {
  readonly event: DocumentEvent;
  /** In the store: `<database>.<collection>`. */
  readonly storeName: string;
  readonly id: string;
  /** As written; of a delete as it was, or, where that is not known any more, as it is left: by its id alone in the end. */
  readonly document: JsonObject;
  /** `unknown`: the store no longer has it. */
  readonly previous: JsonObject | "unknown" | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of the feed, after it. */
  readonly position: string;
  /** What was written; undefined where nothing is left of the document. */
  readonly written: JsonObject | undefined;
  /** Bytes of the documents after it and before it. */
  readonly size: { readonly after: number; readonly before: number };
}

/**
 * What happened to a document that people see: restoring it is a create, soft deletion a delete, and what happens in the
 * trash is nothing. Where the store no longer knows how it was, it may have been in the trash for all that anybody knows.
 */
export function happeningOf({ change, concerns }: Delivery): Happening | undefined {
  const [relation] = concerns;
  if (relation === undefined) return undefined;
  const { id, at, collection: storeName, position } = change;
  const before = change.before === "unknown" ? undefined : change.before;
  const size = {
    after: change.afterBytes,
    before: before === undefined ? 0 : Buffer.byteLength(before.stored.text),
  };
  const written = change.after?.document;
  const what = { storeName, id, at, position, written, size };
  if (!relation.after) {
    const document = before?.document;
    if (document !== undefined) return { ...what, event: "delete", document, previous: document };
    return { ...what, event: "delete", document: written ?? { id }, previous: "unknown" };
  }
  if (written === undefined) return undefined;
  // The versions of an image are ready, or not: nobody wrote the document.
  if (before !== undefined && before.stored.version === change.after?.stored.version) return undefined;
  if (relation.before === "unknown") {
    const isFirst = change.after?.stored.version === 1;
    return isFirst
      ? { ...what, event: "create", document: written, previous: undefined }
      : { ...what, event: "update", document: written, previous: "unknown" };
  }
  return relation.before
    ? { ...what, event: "update", document: written, previous: before?.document }
    : { ...what, event: "create", document: written, previous: undefined };
}
