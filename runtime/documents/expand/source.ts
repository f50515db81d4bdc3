import type { JsonObject } from "../../json.ts";
import type { StoredDocument } from "../../store/contract.ts";
import { type ParsedDocument, parseDocument, splitDocument } from "../encode.ts";
import { belongingOf } from "../organizations.ts";
import { valueAt } from "../paths.ts";
import type { Reference } from "./references.ts";

/** A document that references lead from, or to. */
export class Source {
  readonly stored: StoredDocument;
  /** Among the documents that its branch found, or that are read. */
  readonly at: number;
  /** How often it stands in the answer. */
  occurrences: number;
  #document: ParsedDocument | undefined;
  #meta: JsonObject | undefined;

  constructor(stored: StoredDocument, at: number, occurrences = 0) {
    this.stored = stored;
    this.at = at;
    this.occurrences = occurrences;
  }

  /** Parsed when first asked for. */
  get document(): ParsedDocument {
    this.#document ??= parseDocument(this.stored.text);
    return this.#document;
  }

  /** That it belongs to. */
  get organization(): string | undefined {
    this.#meta ??= this.#document?._meta ?? splitDocument(this.stored.text).meta;
    return belongingOf(this.#meta).org;
  }
}

/** What a reference of one document names. */
export interface Followed {
  /** `none`: nothing; `cut`: of many values the first. */
  readonly kind: "none" | "one" | "many" | "cut";
  /** Undefined for what can be the value of no key. */
  readonly values: readonly (string | undefined)[];
}

export function sourcesOf(found: readonly StoredDocument[]): readonly Source[] {
  return found.map((stored, at) => new Source(stored, at));
}

/** The value that names the document. */
export function keyOf({ key }: Reference, target: Source): string {
  return key.path === "id" ? target.stored.id : String(valueAt(target.document, key.segments));
}
