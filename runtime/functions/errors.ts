import { ApiError } from "../errors.ts";

export function forbidden(message = "This operation is not allowed."): ApiError {
  return new ApiError("forbidden", message);
}

/** Of what nothing can be done here and now. */
export function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError("unavailable", message, { headers: { "retry-after": "1" }, cause });
}
