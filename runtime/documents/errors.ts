import { ApiError, type Detail } from "../errors.ts";
import { apiError } from "../http/failures.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { DocumentTooLarge, UniqueViolation } from "../store/contract/errors.ts";

/** Absent, or hidden from the caller: the two are not told apart. */
export function notFound(): ApiError {
  return new ApiError("not_found", "There is no such document.");
}

/**
 * What to throw where the store refused a write: `conflict` for a violated unique index, with one detail per field
 * (spec: Document endpoints 7), `payload_too_large` for what no store holds, anything else as it is.
 */
export function refusedWrite(definition: CollectionDefinition, error: unknown): unknown {
  if (error instanceof DocumentTooLarge) return apiError(error);
  if (!(error instanceof UniqueViolation)) return error;
  return new ApiError("conflict", "Another document has the same values.", {
    details: uniqueDetails(definition, error.index),
    cause: error,
  });
}

function uniqueDetails(definition: CollectionDefinition, name: string): readonly Detail[] {
  const keys = definition.indexes.find((index) => index.name === name)?.keys ?? [];
  const paths = keys.map(({ field }) => field.path);
  return paths.map((path) => {
    const others = paths.filter((other) => other !== path);
    const combination = others.length > 0 ? ` in combination with ${others.join(", ")}` : "";
    return { path, reason: `must be unique${combination}` };
  });
}
