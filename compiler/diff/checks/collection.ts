import type { CheckEntry } from "../../settings/change.ts";

export const collectionChecks = {
  "collection-removed": {
    kind: "breaking",
    message: "the collection is gone with its routes",
    why: "All its routes answer 404, and batches that name it are refused.",
  },
  "collection-added": {
    kind: "additive",
    message: "the collection is new with its routes",
    why: "Nobody uses it yet.",
  },
  "unique-index-added": {
    kind: "breaking",
    message: "{fields} must be unique: a write of a value that another document has is refused (conflict)",
    why: "Writes that were accepted are refused, and stored documents may violate it.",
  },
  "unique-index-removed": {
    kind: "additive",
    message: "{fields} need not be unique",
    why: "Writes that were refused are accepted.",
  },
  "index-added": {
    kind: "internal",
    message: "an index over {fields} is new",
    why: "Queries mean the same.",
  },
  "index-removed": {
    kind: "internal",
    message: "the index over {fields} is gone",
    why: "Queries mean the same; those that it served become slower.",
  },
  "search-removed": {
    kind: "breaking",
    message: "full-text search is off: $search, language and order_by=_relevance are refused",
    why: "Requests that search are refused (`search_not_enabled`).",
  },
  "search-added": {
    kind: "additive",
    message: "full-text search is on: $search, language and order_by=_relevance",
    why: "Nobody searches yet.",
  },
  "search-field-removed": {
    kind: "breaking",
    message: "searches do not look at {fields} any longer",
    why: "Documents that were found are not.",
  },
  "search-field-added": {
    kind: "additive",
    message: "searches look at {fields} too",
    why: "More documents are found.",
  },
  "search-language-changed": {
    kind: "breaking",
    message: "the language of searches was {old} and is {new}",
    why: "Other forms of words are found: documents that matched may not.",
  },
  "search-weight-changed": {
    kind: "internal",
    message: "the weight in searches was {old} and is {new}",
    why: "The same documents are found, in another order of relevance.",
  },
  "error-added": {
    kind: "additive",
    message: "{operations} may answer {codes}",
    why: "Clients handle codes that they do not know by the status.",
  },
  "error-removed": {
    kind: "additive",
    message: "{operations} do not answer {codes} any longer",
    why: "What clients do then is not needed.",
  },
} as const satisfies Readonly<Record<string, CheckEntry>>;
