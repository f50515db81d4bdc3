import type { CheckEntry } from "../../settings/change.ts";

export const schemaChecks = {
  "field-removed": {
    kind: "breaking",
    message: "the field is gone",
    why: "Readers miss it, queries that name it are refused, and so are writes where the schema is closed.",
  },
  "field-added": {
    kind: "additive",
    message: "the field is new and optional",
    why: "Requests without it are accepted; readers get a member that they do not know.",
  },
  "field-added-required": {
    kind: "breaking",
    message: "the field is new and required",
    why: "Writes without it are refused, and stored documents lack it.",
  },
  "field-now-required": {
    kind: "breaking",
    message: "the field is required",
    why: "Writes without it are refused.",
  },
  "field-now-optional": {
    kind: "breaking",
    message: "the field is optional: readers may miss it",
    why: "Writers may leave out what readers rely on.",
  },
  "type-narrowed": {
    kind: "breaking",
    message: "was {old}, is {new}",
    why: "Writes of the other types are refused.",
  },
  "type-widened": {
    kind: "breaking",
    message: "was {old}, may be {new}: readers may receive {added}",
    why: "Readers receive types that they do not know.",
  },
  "type-changed": {
    kind: "breaking",
    message: "was {old}, is {new}",
    why: "Writes are refused, and readers receive another type.",
  },
  "null-refused": {
    kind: "breaking",
    message: "must not be null",
    why: "Writes of null are refused.",
  },
  "null-allowed": {
    kind: "breaking",
    message: "may be null: readers may receive null",
    why: "Readers receive null where a value was certain.",
  },
  "storage-changed": {
    kind: "breaking",
    message: "was stored as {old}, is stored as {new}",
    why: "The text of values, their order and the operators of queries are others.",
  },
  "value-removed": {
    kind: "breaking",
    message: "{values} is not accepted any longer",
    why: "Writes of the value are refused.",
  },
  "value-added": {
    kind: "additive",
    message: "{values} is accepted; readers may receive it",
    why: "Widening. Readers treat values of an enumeration that they do not know as they treat unknown members.",
  },
  "values-introduced": {
    kind: "breaking",
    message: "only {values} are accepted",
    why: "Writes of other values are refused.",
  },
  "values-lifted": {
    kind: "additive",
    message: "other values than {values} are accepted; readers may receive them",
    why: "Widening, as for a value that is added.",
  },
  "limit-tightened": {
    kind: "breaking",
    message: "{limit} was {old} and is {new}",
    why: "Writes beyond it are refused. `minLength`, `maxLength`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minItems`, `maxItems`, `minProperties`, `maxProperties`.",
  },
  "limit-relaxed": {
    kind: "additive",
    message: "{limit} was {old} and is {new}",
    why: "More values are accepted.",
  },
  "pattern-added": {
    kind: "breaking",
    message: "must match {new}",
    why: "Writes of other texts are refused.",
  },
  "pattern-removed": { kind: "additive", message: "need not match {old}", why: "More texts are accepted." },
  "pattern-changed": {
    kind: "breaking",
    message: "had to match {old}, must match {new}",
    why: "Which of two patterns accepts more is not decided.",
  },
  "format-added": {
    kind: "breaking",
    message: "must be a valid {new}",
    why: "Writes of other texts are refused.",
  },
  "format-removed": {
    kind: "additive",
    message: "need not be a valid {old}",
    why: "More texts are accepted.",
  },
  "format-changed": {
    kind: "breaking",
    message: "had to be a valid {old}, must be a valid {new}",
    why: "Writes of the old format are refused.",
  },
  "items-unique": {
    kind: "breaking",
    message: "elements must differ",
    why: "Writes of lists that repeat an element are refused.",
  },
  "items-may-repeat": { kind: "additive", message: "elements may repeat", why: "More lists are accepted." },
  "members-refused": {
    kind: "breaking",
    message: "members that are not declared are refused",
    why: "Writes with other members are refused.",
  },
  "members-allowed": {
    kind: "additive",
    message: "members that are not declared are accepted",
    why: "More objects are accepted.",
  },
  "variant-removed": {
    kind: "breaking",
    message: "an alternative is gone: {variant}",
    why: "Writes of it are refused.",
  },
  "variant-added": {
    kind: "breaking",
    message: "an alternative is new, which readers may receive: {variant}",
    why: "Readers receive a form that they do not know.",
  },
  "variants-changed": {
    kind: "breaking",
    message: "the alternatives ({keyword}) are others",
    why: "Which of two sets of alternatives accepts more is not decided.",
  },
  "condition-added": {
    kind: "breaking",
    message: "{keyword} is new",
    why: "A further condition: `not`, `if`, `contains`, `dependentRequired`, `dependentSchemas`, `propertyNames`.",
  },
  "condition-removed": {
    kind: "additive",
    message: "{keyword} is gone",
    why: "One condition less.",
  },
  "condition-changed": {
    kind: "breaking",
    message: "{keyword} is another",
    why: "Which of two conditions accepts more is not decided.",
  },
  "description-changed": {
    kind: "internal",
    message: "{keywords} changed",
    why: "Texts and examples for people.",
  },
  "schema-rewritten": {
    kind: "internal",
    message: "the schema is written otherwise and means the same",
    why: "Every value is accepted and refused as before.",
  },
} as const satisfies Readonly<Record<string, CheckEntry>>;
