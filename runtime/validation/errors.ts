import type { ValidationError } from "../realm/validator.ts";

/** Appends the errors of a part to those of the whole, in place: linear however many a client provokes. */
export function appendErrors(errors: ValidationError[], more: readonly ValidationError[]): ValidationError[] {
  for (const error of more) errors.push(error);
  return errors;
}
