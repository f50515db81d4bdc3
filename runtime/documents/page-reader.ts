import type { Exchange } from "../realm/exchange.ts";
import type { StoreCollection } from "../store/contract/collection.ts";
import type { Find } from "../store/contract/query.ts";
import { findPage, type Page } from "../store/page.ts";

/** Characters that are not ASCII or Latin-1 take two bytes, and with them the whole text. */
const bytesOfCharacter = 2;

/** The memory that documents' texts take at most. */
export function memoryOf(characters: number): number {
  return bytesOfCharacter * characters;
}

/** Reads the pages of a list. Their memory is reserved before, as far as can be guessed, and known after. */
export class PageReader {
  readonly #documents: StoreCollection;
  readonly #characters: number;
  /** Of a document of the last page. */
  #meanLength = 0;

  /** @param characters that the documents of a page may have together */
  constructor(documents: StoreCollection, characters: number) {
    this.#documents = documents;
    this.#characters = characters;
  }

  /** @throws ApiError `unavailable`, and as `find` does */
  async read(exchange: Exchange, query: Omit<Find, "characters">): Promise<Page> {
    const { filter, visibility, order, after, limit, skip } = query;
    const characters = this.#characters;
    exchange.reserve(memoryOf(Math.min(characters, (limit + 1) * this.#meanLength)));
    const asked = { filter, visibility, order, after, limit, skip, characters };
    const page = await findPage(this.#documents, asked);
    if (page.characters > 0) this.#meanLength = page.characters / page.found.length;
    exchange.reserve(memoryOf(page.characters));
    return page;
  }
}
