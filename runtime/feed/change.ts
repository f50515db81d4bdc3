import { isJsonObject, type JsonObject } from "../json.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Change, DocumentChange, IdChange } from "../store/contract/feed.ts";
import { bytesOf } from "../store/feed-page.ts";
import type { Renderings } from "./rendered.ts";

/** A document as it was before or after a change, parsed when somebody first wants that, once for all. */
export class Image {
  readonly stored: StoredDocument;
  #document: JsonObject | undefined;

  constructor(stored: StoredDocument) {
    this.stored = stored;
  }

  get document(): JsonObject {
    this.#document ??= parsed(this.stored);
    return this.#document;
  }

  /** Not soft-deleted. */
  get isLive(): boolean {
    const { _meta: meta } = this.document;
    return !isJsonObject(meta) || (meta["deleted_at"] ?? null) === null;
  }
}

/** Bytes that a change takes beside its documents, about, and times that documents take their text's where parsed. */
const OVERHEAD = 400;
const PARSED = 3;

/** A change as everybody who follows shares it. */
export type FeedChange = FeedDocumentChange | FeedIdChange;

/** What there is to know of every change. */
abstract class Shared {
  readonly position: string;
  readonly commit: string;
  readonly isLast: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly collection: string;
  readonly id: string;
  /** Of memory, about, once it is parsed. */
  readonly bytes: number;

  constructor(change: Change) {
    const { position, commit, isLast, at, collection, id } = change;
    this.position = position;
    this.commit = commit;
    this.isLast = isLast;
    this.at = at;
    this.collection = collection;
    this.id = id;
    this.bytes = OVERHEAD + PARSED * bytesOf(change);
  }
}

/** That a document of a collection whose changes are recorded by ids was inserted, changed or removed. */
export class FeedIdChange extends Shared {
  readonly recorded: "ids";

  constructor(change: IdChange) {
    super(change);
    this.recorded = change.recorded;
  }
}

/** A change of a collection whose documents are recorded. */
export class FeedDocumentChange extends Shared {
  readonly recorded: "documents";
  /** Of the text after the change; 0 without one. */
  readonly afterBytes: number;
  readonly #renderings: Renderings;
  /** As in {@link DocumentChange}. */
  readonly before: Image | "unknown" | undefined;
  readonly after: Image | undefined;

  constructor(change: DocumentChange, renderings: Renderings) {
    super(change);
    this.#renderings = renderings;
    const { recorded, before, after } = change;
    this.recorded = recorded;
    this.before = before === undefined || before === "unknown" ? before : new Image(before);
    this.after = after && new Image(after);
    this.afterBytes = after === undefined ? 0 : Buffer.byteLength(after.text);
  }

  /** What somebody makes of the change for all who share it, by what it depends on; kept for as long as there is room. */
  rendered(key: string, make: () => Buffer): Buffer {
    return this.#renderings.of(this, key, make);
  }
}

export function feedChangeOf(change: Change, renderings: Renderings): FeedChange {
  return change.recorded === "ids" ? new FeedIdChange(change) : new FeedDocumentChange(change, renderings);
}

function parsed({ id, text }: StoredDocument): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error(`document ${id} is no object`);
  return value;
}
