import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with documents that collections begin with. */
export const seedCodes = {
  "seed-name": {
    severity: "error",
    summary: "A file in _seed is not named as a seed is.",
    message: "'{name}' is no seed: {problem}",
    explanation:
      "The name of a seed says which collection its documents are of: `<realm>/_seed/<database>/<collection>`, with `.ndjson`, `.csv` or `.yaml`. A file that nothing reads is a mistake: documents that somebody waits for would not be there.",
    wrong: { "_seed/support/tickets.json": "[]" },
    right: { "_seed/support/tickets.yaml": "[]" },
  },
  "seed-collection": {
    severity: "error",
    summary: "A seed is of a collection that there is not.",
    message: "there is no collection {collection} in the realm",
    explanation:
      "Most often the collection was renamed, and the seed was not, or one of the two is misspelt.",
    wrong: { "_seed/support/tikets.yaml": "[]" },
    right: { "_seed/support/tickets.yaml": "[]" },
  },
  "seed-unreadable": {
    severity: "error",
    summary: "A seed cannot be read.",
    message: "the seed cannot be read: {problem}",
    explanation:
      "A seed in NDJSON is one JSON object a line, one in CSV has a head of field paths, one in YAML is a list of documents; all of them are UTF-8.",
    wrong: { "_seed/support/tickets.yaml": "title: Printer on fire" },
    right: { "_seed/support/tickets.yaml": "- title: Printer on fire" },
  },
  "seed-misfit": {
    severity: "error",
    summary: "A document of a seed does not fit its collection.",
    message: "the document does not fit {collection}: {problem}",
    explanation:
      "Documents of seeds are checked as the API checks those that clients create: by the schema, and by what their collection says of ids. One that does not fit would be missing from every new store.",
    wrong: { "_seed/support/tickets.yaml": "- title: 7" },
    right: { "_seed/support/tickets.yaml": "- title: Printer on fire" },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
