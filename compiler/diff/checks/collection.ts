import type { CheckEntry } from "../change.ts";

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
  "soft-delete-disabled": {
    kind: "breaking",
    message:
      "deletes are final: the route restore, the parameters deleted and purge and _meta.deleted_at are gone",
    why: "Clients that restore, purge or look into the trash cannot.",
  },
  "soft-delete-enabled": {
    kind: "additive",
    message:
      "deletes can be undone: the route restore, the parameters deleted and purge and _meta.deleted_at are new",
    why: "Requests that worked go on working; deleted documents are kept.",
  },
  "retention-shortened": {
    kind: "breaking",
    message: "deleted documents were kept {old}, are kept {new}",
    why: "A document that could still be restored is gone.",
  },
  "retention-lengthened": {
    kind: "additive",
    message: "deleted documents were kept {old}, are kept {new}",
    why: "They can be restored for longer.",
  },
  "custom-id-enabled": {
    kind: "breaking",
    message: "clients choose ids: a create without one is refused (id_required)",
    why: "Creates as they were sent are refused.",
  },
  "custom-id-disabled": {
    kind: "breaking",
    message: "the server makes ids: a create with one is refused (id_not_allowed)",
    why: "Creates as they were sent are refused.",
  },
  "custom-id-narrowed": {
    kind: "breaking",
    message: "new ids: {old} before, now {new}",
    why: "Ids that were accepted are refused (`invalid_id`).",
  },
  "custom-id-widened": {
    kind: "additive",
    message: "new ids: {old} before, now {new}",
    why: "More ids are accepted.",
  },
  "duplicate-limit-lowered": {
    kind: "breaking",
    message: "a caller may be told {new} times a minute that an id is taken, {old} before",
    why: "Clients that try ids are told to wait earlier (429).",
  },
  "duplicate-limit-raised": {
    kind: "additive",
    message: "a caller may be told {new} times a minute that an id is taken, {old} before",
    why: "Clients that try ids are told to wait later.",
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
  "realtime-removed": {
    kind: "breaking",
    message: "the collection cannot be followed any longer",
    why: "Subscriptions are refused (`realtime_not_enabled`), and streams that resume lose them.",
  },
  "realtime-added": {
    kind: "additive",
    message: "the collection can be followed by a stream",
    why: "Nobody follows it yet.",
  },
  "reference-removed": {
    kind: "breaking",
    message: "the reference is gone: expand={name} is refused",
    why: "Requests that expand it are refused (`invalid_expand`).",
  },
  "reference-added": {
    kind: "additive",
    message: "the reference is new: expand={name}",
    why: "Nobody expands it yet.",
  },
  "reference-changed": {
    kind: "breaking",
    message: "{what} was {old} and is {new}",
    why: "What stands in `_expanded` is something else.",
  },
  "expansion-lowered": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Expansions that were answered are cut short or refused.",
  },
  "expansion-raised": { kind: "additive", message: "was {old} and is {new}", why: "More can be expanded." },
  "aggregation-removed": {
    kind: "breaking",
    message: "the route _aggregate is gone",
    why: "Aggregations are refused.",
  },
  "aggregation-added": {
    kind: "additive",
    message: "the route _aggregate is new",
    why: "Nobody aggregates yet.",
  },
  "group-removed": {
    kind: "breaking",
    message: "documents cannot be grouped by {fields} any longer",
    why: "Aggregations that do are refused (`invalid_aggregate`).",
  },
  "group-added": {
    kind: "additive",
    message: "documents can be grouped by {fields}",
    why: "More aggregations are answered.",
  },
  "metric-removed": {
    kind: "breaking",
    message: "{metrics} cannot be asked for any longer",
    why: "Aggregations that do are refused (`invalid_aggregate`).",
  },
  "metric-added": {
    kind: "additive",
    message: "{metrics} can be asked for",
    why: "More aggregations are answered.",
  },
  "cache-enabled": {
    kind: "additive",
    message: "anonymous reads may be answered by shared caches, up to {seconds} s old",
    why: "Answers have the same form; they may be older.",
  },
  "cache-disabled": {
    kind: "additive",
    message: "anonymous reads are answered by the server alone",
    why: "Answers have the same form; they are never old.",
  },
  "cache-age-changed": {
    kind: "additive",
    message: "anonymous reads may be {new} s old, {old} s before",
    why: "Answers have the same form.",
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
