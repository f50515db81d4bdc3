/** Runs emitted validators in tests. */
import type { Validator } from "../../../runtime/realm/validator.ts";
import { duplicateItems, equal } from "../../../runtime/validation/equal.ts";
import { appendErrors } from "../../../runtime/validation/errors.ts";
import { evaluated } from "../../../runtime/validation/evaluated.ts";
import { formats } from "../../../runtime/validation/formats.ts";
import { linearPattern } from "../../../runtime/validation/linear-pattern.ts";
import { isMultipleOf } from "../../../runtime/validation/multiples.ts";
import { codePointLength } from "../../../runtime/validation/text.ts";
import type { Schema } from "../place.ts";
import { validatorCode } from "../validator.ts";

const runtime: Readonly<Record<string, unknown>> = {
  appendErrors,
  codePointLength,
  duplicateItems,
  equal,
  evaluated,
  formats,
  isMultipleOf,
  linearPattern,
};

/** The function that a schema's emitted module exports. */
export function validatorOf(schema: Schema): Validator {
  const { text, helpers } = validatorCode(schema);
  const body = `"use strict";\n${text.replace(/^export /m, "")}\nreturn validate;`;
  return new Function(...helpers, body)(...helpers.map((helper) => runtime[helper]));
}
