import { documentTag } from "../http/etag.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Answer } from "../realm/exchange.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Access } from "./access.ts";
import { parseDocument } from "./encode.ts";
import { FieldRules, without } from "./field-rules.ts";
import { type UnreadyStates, unreadyStates } from "./files/states.ts";

/** What a caller receives of a document. */
export interface View {
  readonly text: string;
  /** The `ETag`. */
  readonly tag: string;
}

/** Shows a stored document to a caller. */
export type Viewer = (access: Access, stored: StoredDocument) => View;

/** Without field rules, and to callers who bypass them, a document is answered as it is stored. */
export function viewer(definition: CollectionDefinition): Viewer {
  const rules = new FieldRules(definition);
  const { fieldRules = [] } = definition;
  const states = unreadyStates(definition);
  if (fieldRules.every(({ read }) => read === undefined)) return (_, stored) => plain(stored, states);
  return ({ context }, stored) => {
    if (context === undefined) return plain(stored, states);
    const document = parseDocument(stored.text);
    const hidden = rules.hidden(context, document);
    if (hidden.length === 0) return plain(stored, states);
    const text = JSON.stringify(without(document, hidden));
    const paths = hidden.map((path) => path.join("."));
    return { text, tag: documentTag(stored.version, paths, states?.(text)) };
  };
}

/** The answer that a document is, which was written. */
export function written({ text, tag }: View): Answer {
  return { status: 200, body: text, headers: { etag: tag } };
}

function plain({ text, version }: StoredDocument, states: UnreadyStates | undefined): View {
  return { text, tag: documentTag(version, [], states?.(text)) };
}
