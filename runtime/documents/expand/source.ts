import type { JsonObject } from "../../json.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { type ParsedDocument, parseDocument, splitDocument } from "../encode.ts";
import { belongingOf } from "../organizations.ts";
import { valueAt } from "../paths.ts";
import type { Reference } from "./references.ts";

/** Characters of documents that one request keeps parsed; a parsed one may take twenty times its text. */
const MAX_PARSED = 2 ** 19;

/** How much of its documents one request keeps parsed. */
export class Parsed {
  #characters = 0;

  get characters(): number {
    return this.#characters;
  }

  /** Whether another one of so many characters may be kept. */
  keeps(characters: number): boolean {
    if (this.#characters + characters > MAX_PARSED) return false;
    this.#characters += characters;
    return true;
  }
}

/** A document that references lead from, or to. */
export class Source {
  readonly stored: StoredDocument;
  /** Among the documents that its branch found, or that are read. */
  readonly at: number;
  /** How often it stands in the answer. */
  occurrences: number;
  readonly #parsed: Parsed;
  #document: ParsedDocument | undefined;
  #meta: JsonObject | undefined;

  constructor(parsed: Parsed, stored: StoredDocument, at: number, occurrences = 0) {
    this.#parsed = parsed;
    this.stored = stored;
    this.at = at;
    this.occurrences = occurrences;
  }

  /** Parsed when asked for, and kept while there is room. */
  get document(): ParsedDocument {
    if (this.#document !== undefined) return this.#document;
    const { text } = this.stored;
    const document = parseDocument(text);
    if (this.#parsed.keeps(text.length)) this.#document = document;
    return document;
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

export function sourcesOf(parsed: Parsed, found: readonly StoredDocument[]): readonly Source[] {
  return found.map((stored, at) => new Source(parsed, stored, at));
}

/** The value that names the document. */
export function keyOf({ key }: Reference, target: Source): string {
  return key.path === "id" ? target.stored.id : String(valueAt(target.document, key.segments));
}
