import type { Scalar } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { midnightForms } from "../../../filter/instants.ts";
import type { Place } from "../expressions.ts";
import type { Parameters } from "../parameters.ts";

/**
 * SQL for an array of exactly these elements. Documents are written by `JSON.stringify`, so that an array equals another
 * where their texts do; only dates that have two forms are looked at element by element.
 */
export function sameArray(
  { type, value }: Place,
  field: Field,
  expected: readonly (Scalar | null)[],
  parameters: Parameters,
): string {
  const forms = expected.map((element) => midnightForms(field, element));
  if (forms.every((of) => of === undefined)) {
    return `(${type} = 'array' AND ${value} = ${parameters.add(JSON.stringify(expected))})`;
  }
  const alternatives = expected.map((element, at) => {
    const of = forms[at];
    return of === undefined ? [element] : [of.short, of.long];
  });
  const allowed = parameters.add(JSON.stringify(alternatives));
  const isAllowed = `SELECT 1 FROM json_each(${allowed}, '$[' || stored.key || ']') AS form
    WHERE form.type = stored.type AND form.atom IS stored.atom`;
  return `(${type} = 'array' AND json_array_length(${value}) = ${expected.length}
    AND NOT EXISTS (SELECT 1 FROM json_each(${value}) AS stored WHERE NOT EXISTS (${isAllowed})))`;
}
