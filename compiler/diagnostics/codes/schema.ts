import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with a document schema. */
export const schemaCodes = {
  "schema-not-object": {
    severity: "error",
    summary: "The top level of a schema is not type: object.",
    message: 'the schema of {what} must have "type": "object" at its top level',
    explanation:
      "Documents and profiles are JSON objects. A schema.json says so itself rather than through a `$ref`; `profile` may be a `$ref` to a schema that does.",
    wrong: { "schema.json": '{ "properties": { "title": { "type": "string" } } }' },
    right: { "schema.json": '{ "type": "object", "properties": { "title": { "type": "string" } } }' },
  },
  "schema-reserved-field": {
    severity: "error",
    summary: "A schema declares a field that the server owns.",
    message: "'{field}' is set by the server and cannot be declared or required",
    explanation:
      "`id`, `_id`, `_meta` and `_expanded` belong to the server; what a client sends there is ignored.",
    wrong: { "schema.json": '{ "type": "object", "properties": { "id": { "type": "string" } } }' },
    right: { "schema.json": '{ "type": "object", "properties": { "number": { "type": "string" } } }' },
  },
  "schema-field-name": {
    severity: "error",
    summary: "The name of a field contains a dot or starts with a dollar sign.",
    message: "the field '{field}' cannot be stored: its name {problem}",
    explanation:
      "Dots separate the parts of a path and `$` marks operators, so documents with such members are refused with 400 `validation_error`.",
    wrong: { "schema.json": '{ "type": "object", "properties": { "a.b": {} } }' },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "a": { "type": "object", "properties": { "b": {} } } } }',
    },
  },
  "schema-required-field": {
    severity: "error",
    summary: "A schema requires a field that it does not allow.",
    message: "'{field}' is required and not allowed, so no object fits: additionalProperties is false",
    explanation:
      "With `additionalProperties: false` an object has the members under `properties` and `patternProperties` and no others. Every create would be refused.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "required": ["titel"],\n  "properties": { "title": { "type": "string" } },\n  "additionalProperties": false\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "required": ["title"],\n  "properties": { "title": { "type": "string" } },\n  "additionalProperties": false\n}',
    },
  },
  "schema-unfittable": {
    severity: "error",
    summary: "No value fits a schema.",
    message: "no value fits this schema: {reason}",
    explanation:
      "What stands in it, or in what it refers to, excludes itself: a minimum above the maximum, an enum without a value of the type, a required member that cannot be. The field could never be written, and where it is required no document either. A field that is meant to be absent has the schema `false`.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "rating": { "type": "integer", "minimum": 5, "maximum": 1 } }\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "rating": { "type": "integer", "minimum": 1, "maximum": 5 } }\n}',
    },
  },
  "schema-value-misfit": {
    severity: "warning",
    summary: "A default, an example or a value of an enum does not fit the schema around it.",
    message: "{what} {value} {problem}",
    explanation:
      "Readers of the schema and of the OpenAPI document take such a value for one that can be written. `null` in an `enum` is allowed only where `type` allows it too.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "priority": { "type": "string", "enum": ["high", "low", null] } }\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "priority": { "type": ["string", "null"], "enum": ["high", "low", null] } }\n}',
    },
  },
  "schema-keyword-unused": {
    severity: "warning",
    summary: "A keyword has no effect beside the others of its schema.",
    message: "'{keyword}' has no effect here: {why}",
    explanation:
      "JSON Schema ignores a keyword that is about values of another type, or that lacks its partner. It was probably meant otherwise: `minLength` of a number is `minimum`.",
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "number": { "type": "integer", "minLength": 5 } } }',
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "number": { "type": "integer", "minimum": 10000 } } }',
    },
  },
  "schema-unknown-keyword": {
    severity: "error",
    summary: "A schema uses a keyword that JSON Schema 2020-12 does not have.",
    message: "JSON Schema 2020-12 has no keyword '{keyword}'",
    explanation:
      "JSON Schema ignores unknown keywords, so a misspelt one would let everything through. Annotations of your own may start with `x-`, but not with `x-svc-`.",
    wrong: {
      "schema.json": '{ "type": "object", "properties": { "title": { "type": "string", "maxLenght": 10 } } }',
    },
    right: {
      "schema.json": '{ "type": "object", "properties": { "title": { "type": "string", "maxLength": 10 } } }',
    },
  },
  "schema-unsupported-keyword": {
    severity: "error",
    summary: "A schema uses a keyword that changes how references are resolved.",
    message: "the keyword '{keyword}' is not supported: references name files and places in them",
    hint: "use $ref with a relative path and a JSON pointer, such as ../../_shared/address.json#/$defs/street",
    explanation:
      "`$id`, `$anchor`, `$dynamicRef`, `$dynamicAnchor` and `$vocabulary` give places names of their own; a `$ref` here always is a relative file and a JSON pointer, which any reader can follow.",
    wrong: { "schema.json": '{ "$id": "https://example.com/ticket", "type": "object" }' },
    right: { "schema.json": '{ "type": "object" }' },
  },
  "schema-format": {
    severity: "error",
    summary: "A schema names an unknown format.",
    message: "there is no format '{format}'",
    explanation: "Formats are asserted, so each must be one that the validators know.",
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "at": { "type": "string", "format": "datetime" } } }',
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "at": { "type": "string", "format": "date-time" } } }',
    },
  },
  "schema-pattern": {
    severity: "error",
    summary: "A pattern is not a valid regular expression.",
    message: "not a regular expression: {problem}",
    explanation:
      "Patterns are ECMAScript regular expressions with the `u` flag. Unlike without the flag, needless escapes such as `\\-` outside of a class are errors.",
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "code": { "type": "string", "pattern": "^[a-z" } } }',
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "code": { "type": "string", "pattern": "^[a-z]+$" } } }',
    },
  },
  "pattern-slow": {
    severity: "error",
    summary: "A pattern can take very long on some inputs.",
    message: "this pattern {problem}",
    hint: "avoid repetitions that can match the same text in several ways, and anchor the pattern with ^{acceptance}",
    explanation:
      'The engine backtracks: for some strings the time grows faster than their length, and whoever may write a document can hold up the server with one. Found by `recheck`. A pattern of a schema with `"x-svc-slow-pattern": "accepted"` and a `maxLength` of at most 256 beside it is matched otherwise: in linear time, without backtracking, and only for values that are not longer. Patterns of `patternProperties` and `custom_id` cannot be accepted; that of `custom_id` may take quadratic time, since ids have 128 characters at most.',
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "code": { "type": "string", "pattern": "^(a+)+$" } } }',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": {\n    "code": {\n      "type": "string",\n      "pattern": "^a+$" },\n    "path": { "type": "string", "pattern": "^(/?[a-z]+)*$",\n      "maxLength": 200,\n      "x-svc-slow-pattern": "accepted"\n    }\n  }\n}',
    },
  },
  "pattern-not-accepted": {
    severity: "error",
    summary: "A pattern that is accepted as slow cannot be matched without backtracking.",
    message: "this pattern cannot be accepted: {problem}",
    hint: "write it without that, or so that it needs no acceptance",
    explanation:
      'Under `"x-svc-slow-pattern": "accepted"` a pattern is matched without backtracking. References back to groups (`\\1`, `\\k<name>`) and flags within groups cannot be matched so, and a pattern has at most 1,000 characters and 500 states, where `[a-z]{1,40}` counts as 79.',
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": {\n    "code": {\n      "type": "string",\n      "pattern": "^(a+)+\\\\1$",\n      "maxLength": 200,\n      "x-svc-slow-pattern": "accepted"\n    }\n  }\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": {\n    "code": {\n      "type": "string",\n      "pattern": "^(a+)+$",\n      "maxLength": 200,\n      "x-svc-slow-pattern": "accepted"\n    }\n  }\n}',
    },
  },
  "schema-date-placement": {
    severity: "error",
    summary: "The keyword x-svc-store: date stands where no date can be stored.",
    message: '"x-svc-store": "date" cannot stand here: {problem}',
    explanation:
      'A stored date is a declared field of `type: string` (or `["string", "null"]`) with `format: date-time` or `format: date`, reached through `properties` and `items`: only there does the server know to normalise it.',
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "at": { "type": "string", "x-svc-store": "date" } } }',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "at": { "type": "string", "format": "date-time", "x-svc-store": "date" } }\n}',
    },
  },
  "schema-date-conflict": {
    severity: "error",
    summary: "One branch of a schema stores a field as a date, another does not.",
    message: "the field '{field}' is {one} in one branch of the schema and {other} in another",
    explanation:
      "A field is compared in one way, whichever branch of `anyOf` or `oneOf` its document took. Let the branches agree, or use two fields.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "anyOf": [\n    { "properties": { "at": { "type": "string", "format": "date", "x-svc-store": "date" } } },\n    { "properties": { "at": { "type": "string" } } }\n  ]\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "at": { "type": "string", "format": "date", "x-svc-store": "date" } }\n}',
    },
  },
  "schema-too-large": {
    severity: "error",
    summary: "A schema declares too many fields, or is nested too deeply.",
    message: "the schema is too large: {problem}",
    hint: "schemas that refer to each other in circles multiply; use additionalProperties for open parts",
    explanation:
      "Each path is a field of its own, and a `$ref` is entered once on every path. A schema declares at most 2,000 fields, unfolds to at most 20,000 parts and is at most 500 levels deep.",
    wrong: { words: "ten definitions, each with a property for each of the ten" },
    right: { words: "ten definitions that refer to ids instead of each other" },
  },
  "ref-remote": {
    severity: "error",
    summary: "A $ref names something on the network, or an absolute path.",
    message: "$ref must be a relative path inside the realm, not '{ref}'",
    hint: "save a copy under the realm's _shared folder and refer to it",
    explanation: "A build reads nothing but the realm's folder.",
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "address": { "$ref": "https://example.com/address.json" } } }',
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "address": { "$ref": "../../_shared/address.json" } } }',
    },
  },
  "ref-outside": {
    severity: "error",
    summary: "A $ref leaves the folder of the realm.",
    message: "'{ref}' leaves the folder of the realm",
    hint: "files used by several realms are copied into each realm's _shared folder",
    explanation: "The output for a realm depends on that realm's folder only.",
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "address": { "$ref": "../../../other/_shared/address.json" } } }',
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "address": { "$ref": "../../_shared/address.json" } } }',
    },
  },
  "ref-file": {
    severity: "error",
    summary: "A $ref names a file that does not exist.",
    message: "there is no file '{file}'",
    explanation: "Paths are relative to the file that holds the `$ref`.",
    wrong: {
      "schema.json": '{ "type": "object", "properties": { "address": { "$ref": "_shared/address.json" } } }',
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "address": { "$ref": "../../_shared/address.json" } } }',
    },
  },
  "ref-target": {
    severity: "error",
    summary: "A $ref points at a place that does not exist or is no schema.",
    message: "{problem}",
    explanation:
      "What follows `#` is a JSON pointer, and what stands there must be a schema (an object or a boolean).",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "address": { "$ref": "#/$defs/adress" } },\n  "$defs": { "address": { "type": "object" } }\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "address": { "$ref": "#/$defs/address" } },\n  "$defs": { "address": { "type": "object" } }\n}',
    },
  },
  "ref-loop": {
    severity: "error",
    summary: "A $ref leads back to itself without going into the value.",
    message: "this $ref leads back to itself: no value could ever be checked",
    explanation:
      "Schemas may be recursive where the value is too (`children` whose items are the schema again), but a schema that *is* itself has no meaning, and a validator would never end.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "$defs": { "node": { "properties": { "next": { "$ref": "#/$defs/node" } } } }\n}',
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
