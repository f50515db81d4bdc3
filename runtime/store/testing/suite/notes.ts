import { type Filter, search } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import { textIndex } from "../../../filter/search/index.ts";
import type { TextIndex } from "../../../filter/search/text-index.ts";
import type { JsonObject } from "../../../json.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { StoredDocument } from "../../contract/document.ts";
import { idsOf, type Suite, shape, written } from "./fixtures.ts";

export const noteFields = {
  title: field("title", "string"),
  body: field("body", "string"),
  tags: field("tags", "string", ["tags"]),
  lines: field("lines.text", ["string", "null"], ["lines"]),
  lang: field("lang", "string"),
};

/** A text index over fields with these weights. */
export function declared(
  weights: Partial<Record<keyof typeof noteFields, number>> = { title: 10, body: 2, tags: 5, lines: 1 },
  defaultLanguage = "en",
): TextIndex {
  const fields = Object.entries(noteFields).flatMap(([name, field]) => {
    const weight = Object.entries(weights).find(([weighted]) => weighted === name)?.[1];
    return weight === undefined ? [] : [{ field, weight }];
  });
  return textIndex({ fields, defaultLanguage, languageField: noteFields.lang });
}

export const everything = declared();

/** The filter of a `$search`. */
export function searching(index: TextIndex, value: string, language?: string): Filter {
  const terms = index.parse(value, language);
  if ("problem" in terms) throw new Error(terms.problem);
  return search(index, terms);
}

/** Collection `app.notes`, with a text index. */
export interface Notes {
  provisioned(text: TextIndex | undefined): Promise<StoreCollection>;
  /** With these documents, by id. */
  notes(documents?: Readonly<Record<string, JsonObject>>, text?: TextIndex): Promise<StoreCollection>;
  /** Ids in the default order, which is by id where all are created at once. */
  found(collection: StoreCollection, filter: Filter | string): Promise<readonly string[]>;
  ranked(collection: StoreCollection, filter: Filter, skip?: number): Promise<StoredDocument[]>;
}

export function notesOf(suite: Suite): Notes {
  const provisioned = async (text: TextIndex | undefined) => {
    await suite.store.provision([{ ...shape("app.notes"), ...(text === undefined ? {} : { text }) }]);
    return suite.store.collection("app.notes");
  };
  return {
    provisioned,
    notes: async (documents = {}, text = everything) => {
      const collection = await provisioned(text);
      for (const [id, body] of Object.entries(documents)) await collection.insert(written(id, body));
      return collection;
    },
    found: async (collection, filter) => {
      const sought = typeof filter === "string" ? searching(everything, filter) : filter;
      return idsOf(await collection.find({ filter: sought, visibility: "live", limit: 100, skip: 0 }));
    },
    ranked: (collection, filter, skip = 0) =>
      collection.find({ filter, visibility: "live", order: "relevance", limit: 100, skip }),
  };
}
