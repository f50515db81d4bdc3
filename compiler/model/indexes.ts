/** indexes.json to the model. What is faulty there is left out: validation has said so. */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { locate, type SourceFile } from "../source/source.ts";
import { objectOf, stringsOf, textOf } from "./collection.ts";
import type { Collection, Index } from "./model.ts";

export type CollectionIndexes = Pick<Collection, "indexes" | "text">;

export function collectionIndexes(file: SourceFile | undefined): CollectionIndexes {
  return file === undefined ? { indexes: [] } : { indexes: indexesOf(file), ...textIndexOf(file) };
}

/** In the order of the file, which is that of their making. */
function indexesOf(file: SourceFile): Index[] {
  const list = file.value.indexes;
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: JsonValue, at) => {
    const fields = isJsonObject(value) ? stringsOf(value.fields).map(indexField) : [];
    if (!isJsonObject(value) || fields.length === 0) return [];
    return [
      {
        name: textOf(value.name) ?? indexName(fields),
        fields,
        unique: value.unique === true,
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

function textIndexOf(file: SourceFile): Pick<Collection, "text"> {
  const { text } = file.value;
  if (!isJsonObject(text)) return {};
  const languageField = textOf(text.language_field);
  return {
    text: {
      fields: Object.entries(objectOf(text.fields)).flatMap(([path, weight]) =>
        typeof weight === "number" ? [{ path, weight }] : [],
      ),
      defaultLanguage: textOf(text.default_language) ?? noLanguage,
      ...(languageField === undefined ? {} : { languageField }),
      span: locate(file, ["text"]),
    },
  };
}
