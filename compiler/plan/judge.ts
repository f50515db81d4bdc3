/** What looks at documents: each is parsed and migrated once, for all judges of its collection. */
import { type ParsedDocument, parseDocument } from "../../runtime/documents/encode.ts";
import { type NewestForm, newestFormOf, Unmigratable } from "../../runtime/migrations/forms.ts";
import type { Tallies } from "../../runtime/migrations/tally.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import type { Finding } from "./finding.ts";
import type { HeldDocument } from "./held.ts";

/** A collection's documents as they were counted. */
export interface Extent {
  readonly documents: number;
  /** Of their texts. */
  readonly characters: number;
}

export interface Judge {
  /** Whether it looks at documents, or their number alone is enough. */
  readonly looks: boolean;
  /** Also past the documents of a sample. */
  readonly wholly?: true;
  look(seen: Seen, tallies: Tallies): void;
  /** When all documents have been looked at. */
  findings(tallies: Tallies, extent: Extent): readonly Finding[];
}

/** A document that judges look at. */
export class Seen {
  readonly id: string;
  /** Number of the migration that it is stored in the form of. */
  readonly form: number;
  readonly isDeleted: boolean;
  readonly #stored: HeldDocument;
  readonly #definition: CollectionDefinition | undefined;
  #parsed: ParsedDocument | undefined;
  #newest: NewestForm | Unmigratable | undefined;

  constructor(stored: HeldDocument, form: number, definition: CollectionDefinition | undefined) {
    this.id = stored.id;
    this.form = form;
    this.isDeleted = stored.deletedAt !== undefined;
    this.#stored = stored;
    this.#definition = definition;
  }

  /** As it is stored. */
  get document(): ParsedDocument {
    this.#parsed ??= parseDocument(this.#stored.text);
    return this.#parsed;
  }

  /** As a server of the new configuration makes it, or why its migrations cannot. */
  get newest(): NewestForm | Unmigratable {
    this.#newest ??= this.#migrated();
    return this.#newest;
  }

  /** As a server of the new configuration gives it: one that cannot be migrated stays as it is. */
  get given(): NewestForm["document"] {
    const { newest } = this;
    return newest instanceof Unmigratable ? this.document : newest.document;
  }

  #migrated(): NewestForm | Unmigratable {
    const { id, text, version = 0 } = this.#stored;
    if (this.#definition === undefined) return { members: this.document, document: this.document };
    try {
      return newestFormOf(this.#definition, { id, text, version, form: this.form }, this.document);
    } catch (error) {
      if (error instanceof Unmigratable) return error;
      throw error;
    }
  }
}
