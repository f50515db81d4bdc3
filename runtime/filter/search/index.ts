import type { JsonObject } from "../../json.ts";
import type { Field } from "../fields.ts";
import { reaches } from "../predicate.ts";
import { type Analysis, analysisFor } from "./analysis.ts";
import { isLocale } from "./locales.ts";
import { parseSearch } from "./parse.ts";
import type { TextIndex } from "./text-index.ts";

/** Between the elements of an array: no letter, mark or digit, so nothing that is searched for. */
const BETWEEN = " \ue000 ";

/** The text index of a collection, as emitted code declares it. Pulls in the stemmers of every language. */
export function textIndex(
  declaration: Pick<TextIndex, "fields" | "defaultLanguage" | "languageField">,
): TextIndex {
  const { fields, defaultLanguage, languageField } = declaration;
  return {
    ...declaration,
    stems: (document) => {
      const analysis = analysisFor(languageOfDocument(document, languageField) ?? defaultLanguage);
      return fields.map(({ field }) => stringsAt(document, field).map(stemsIn(analysis)).join(BETWEEN));
    },
    parse: (value, language) => parseSearch(value, analysisFor(language ?? defaultLanguage)),
  };
}

const stemsIn = (analysis: Analysis) => (text: string) => analysis.words(text).map(analysis.stem).join(" ");

/** Undefined where the document names none, or something that is no locale code. */
function languageOfDocument(document: JsonObject, field: Field | undefined): string | undefined {
  const [named] = field === undefined ? [] : stringsAt(document, field);
  return named !== undefined && (named === "none" || isLocale(named)) ? named : undefined;
}

function stringsAt(document: JsonObject, field: Field): readonly string[] {
  const strings: string[] = [];
  reaches(
    document,
    field,
    (value) => {
      if (typeof value === "string") strings.push(value);
      return false;
    },
    true,
  );
  return strings;
}
