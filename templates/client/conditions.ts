/** What `where` may say of a field, as types of the client. */

import type { DeclaredField } from "../../compiler/model/model.ts";
import type { FieldKind } from "../../runtime/filter/fields.ts";
import { type Code, code, join, literal, nothing, when } from "../print/code.ts";
import type { TypeNamed } from "./printing.ts";

const union = code` | `;

export function conditionType(
  { path, kinds, nullable, arrays, values }: DeclaredField,
  condition: TypeNamed,
): Code {
  const members = valueTypes(kinds, values);
  if (members.length === 0) return condition(nullable ? "NullCondition" : "PresenceCondition");
  const value = join([...members, when(nullable, () => code`null`)], union);
  const whole = arrays.includes(path) ? code`${value} | readonly (${value})[]` : value;
  return code`${condition(kinds.includes("string") ? "TextCondition" : "Condition")}<${whole}>`;
}

/** The values of a field as answers have them; undefined for objects. */
export function valueType({ kinds, values }: Pick<DeclaredField, "kinds" | "values">): Code {
  const members = valueTypes(kinds, values, code`string`);
  return members.length === 0 ? code`unknown` : join(members, union);
}

/** @param date what stands for a date */
function valueTypes(
  kinds: readonly FieldKind[],
  values: readonly string[] | undefined,
  date: Code = code`string | Date`,
): readonly Code[] {
  const has = (...some: readonly FieldKind[]): boolean => some.some((kind) => kinds.includes(kind));
  const dates = has("date", "date-time");
  const texts = has("string") && !dates ? (values ?? []).map((value) => literal(value)) : [];
  return [
    ...texts,
    when(has("string") && texts.length === 0 && !dates, () => code`string`),
    when(dates, () => date),
    when(has("integer", "number"), () => code`number`),
    when(has("boolean"), () => code`boolean`),
  ].filter((type) => type !== nothing);
}
