import { kept } from "../../kept.ts";
import type { Access } from "../access.ts";
import { parseDocument } from "../encode.ts";
import { type LoadedBranch, tooLarge } from "./load.ts";
import { type Selection, selected } from "./selection.ts";
import type { Followed, Source } from "./source.ts";

/**
 * Writes what was found into the texts of documents. Stored texts stand in them as they are; of what occurs many times
 * the text is made once.
 */
export class Renderer {
  readonly #access: Access;
  readonly #maxCharacters: number;
  readonly #texts = new Map<Source, string>();
  #characters = 0;

  /** @param maxCharacters that the expanded documents may have, as they occur in the answer */
  constructor(access: Access, maxCharacters: number) {
    this.#access = access;
    this.#maxCharacters = maxCharacters;
  }

  /**
   * The document with its `_expanded`.
   * @param text of the document
   * @param at among the sources of the branches
   * @throws ApiError `expand_too_large`
   */
  expanded(text: string, branches: readonly LoadedBranch[], at: number): string {
    let members = "";
    for (const loaded of branches) {
      const member = `"${loaded.branch.reference.name}":${this.#entry(loaded, loaded.followed[at])}`;
      members = members === "" ? member : `${members},${member}`;
    }
    return `${text.slice(0, -1)},"_expanded":{${members}}}`;
  }

  #entry(loaded: LoadedBranch, followed: Followed | undefined): string {
    const { kind, values } = followed ?? { kind: "none", values: [] };
    if (kind === "none") return "null";
    const texts = values.map((value) => this.#target(loaded, value)).join(",");
    if (kind === "one") return texts;
    return kind === "many" ? `[${texts}]` : `{"items":[${texts}],"truncated":true}`;
  }

  #target(loaded: LoadedBranch, value: string | undefined): string {
    const target = value === undefined ? undefined : loaded.targets.get(value);
    if (target === undefined) return "null";
    const text = kept(this.#texts, target, () => this.#text(loaded, target));
    this.#characters += text.length;
    if (this.#characters > this.#maxCharacters) {
      throw tooLarge(`the expanded documents would hold more than ${this.#maxCharacters} characters`);
    }
    return text;
  }

  #text({ branch, nested }: LoadedBranch, target: Source): string {
    const { reference, selection } = branch;
    const { text: whole } = reference.target.view(this.#access, target.stored);
    const text = selection === undefined ? whole : this.#selected(target, whole, selection);
    return nested.length === 0 ? text : this.expanded(text, nested, target.at);
  }

  /** @param shown the caller's view of it */
  #selected(target: Source, shown: string, selection: Selection): string {
    const view = shown === target.stored.text ? target.document : parseDocument(shown);
    return JSON.stringify(selected(view, selection));
  }
}
