/** indexes.json to the model. What is faulty there is left out: validation has said so. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../runtime/json.ts";
import { locate, type SourceFile } from "../source/source.ts";
import { flag, Given, object, present, publishedSchemas, text, texts } from "./given.ts";
import type { Collection, Index } from "./model.ts";

export type CollectionIndexes = Pick<Collection, "indexes" | "text">;

/** @param schema of indexes.json */
export function collectionIndexes(
  file: SourceFile | undefined,
  schema: JsonObject = publishedSchemas.indexes,
): CollectionIndexes {
  if (file === undefined) return { indexes: [] };
  const given = new Given(file.value, schema);
  return { indexes: indexesOf(file, given), ...textIndexOf(file, given) };
}

/** In the order of the file, which is that of their making. */
function indexesOf(file: SourceFile, given: Given): Index[] {
  return given.items("indexes").flatMap((index, at) => {
    const fields = (index.find("fields", texts) ?? []).map(indexField);
    if (fields.length === 0) return [];
    return [
      {
        name: index.find("name", text) ?? indexName(fields),
        fields,
        unique: index.read("unique", flag),
        span: locate(file, ["indexes", at]),
      },
    ];
  });
}

function indexField(text: string): Index["fields"][number] {
  return text.startsWith("-") ? { path: text.slice(1), descending: true } : { path: text, descending: false };
}

/** Characters that an index name may have. */
const MAX_INDEX_NAME = 63;

/** `status_due_at`: the fields' names; shortened with a hash where they are too long together. */
function indexName(fields: Index["fields"]): string {
  const joined = fields.map(({ path }) => path).join("_");
  const name = joined.replace(/[^A-Za-z0-9_]/g, "_");
  if (name.length <= MAX_INDEX_NAME) return name;
  const hash = createHash("sha256").update(joined).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_INDEX_NAME - 9)}_${hash}`;
}

/** No stemming. */
export const noLanguage = "none";

function textIndexOf(file: SourceFile, given: Given): Pick<Collection, "text"> {
  if (given.find("text", object) === undefined) return {};
  const index = given.in("text");
  return {
    text: {
      fields: Object.entries(index.find("fields", object) ?? {}).flatMap(([path, weight]) =>
        typeof weight === "number" ? [{ path, weight }] : [],
      ),
      defaultLanguage: index.read("default_language", text),
      ...present({ languageField: index.find("language_field", text) }),
      span: locate(file, ["text"]),
    },
  };
}
