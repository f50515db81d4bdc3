/** The route by which administrators import documents into a collection. */
import { contract } from "./contract.ts";
import { closed, id, named, type PlainSchema } from "./schema.ts";

/** Documents of one request. */
export const importedAtOnce = 1_000;
/** Characters of a position's state, as JSON. */
export const stateLength = 8_192;

const count = { type: "integer", minimum: 0 } as const;

const position = closed({
  import: {
    type: "string",
    minLength: 1,
    maxLength: 200,
    description: "Names the import; the client chooses it.",
  },
  number: {
    ...count,
    description:
      "Of the request in the import, from 1: each is done once, and answered as it was when it is repeated. With 0 and no documents nothing is done: the answer is that of the last one.",
  },
  state: {
    type: ["object", "null"],
    description: `Kept for the client, at most ${stateLength.toLocaleString("en")} characters of JSON. Null, without documents: the import has ended, and nothing is kept of it.`,
  },
});

const upcoming = {
  type: "array",
  maxItems: 100,
  description: "What documents here refer to and later requests bring; it counts as there.",
  items: closed({
    collection: { type: "string", description: "`<database>/<collection>`" },
    key: { type: "string", description: "`id`, or the field that references lead to." },
    values: { type: "array", items: id },
  }),
} as const;

/** Bodies, of which documents say what documents in them are. */
const bodyOf = <const Item extends PlainSchema>(items: Item) =>
  closed(
    {
      mode: {
        type: "string",
        enum: ["create", "replace", "merge"],
        default: "create",
        description:
          "Of documents whose id there is: they are rejected, put in its place, or merged into it (a merge patch).",
      },
      meta: {
        type: "boolean",
        default: false,
        description: "`_meta` of each is kept as it comes, in place of what is so now.",
      },
      documents: { type: "array", maxItems: importedAtOnce, items },
      upcoming,
      position,
    },
    ["documents"],
  );

const importing = { type: "string", description: "Of the last request that was done." } as const;

export const importDocuments = contract({
  id: "adminDataImport{stem}",
  method: "POST",
  path: "/_admin/data/{database}/{collection}/_import",
  who: { kind: "administrator", area: "data", to: "change" },
  body: {
    schema: named("DocumentImport", bodyOf({ type: "object", made: "Create" })),
    shown: named(
      "DocumentImport",
      bodyOf({ type: "object", description: "With its `id`, where it has one, and with `_meta`." }),
    ),
    media: "json",
  },
  answers: {
    200: {
      name: "Imported",
      description: "What was written, in one transaction, and what was not.",
      schema: named(
        "DocumentsImported",
        closed(
          {
            written: { ...count, description: "Documents." },
            replaced: { ...count, description: "Of these, in the place of others." },
            rejected: {
              type: "array",
              description: "In their order.",
              items: closed({
                at: { ...count, description: "Which of the documents, from 0." },
                id: { type: ["string", "null"], description: "Null where it has none that could be read." },
                error: { type: "string" },
              }),
            },
            position: {
              ...closed({
                import: importing,
                number: count,
                state: { type: "object" },
                created: { ...count, description: "By the import up to now." },
                replaced: count,
                rejected: count,
              }),
              description: "How far the import under way is; absent where there is none.",
            },
          },
          ["written", "replaced", "rejected"],
        ),
      ),
    },
  },
  errors: ["conflict", "write_conflict"],
  tag: "administration of documents",
  summary: "Import documents into {collection}",
  about:
    "Each is judged as a create or change is, but for access rules; its id is kept, and organizations, teams and documents that it names must be there. One audit record says how many there were.",
});
