import { ApiError } from "../errors.ts";
import { isId } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import type { CustomId } from "../realm/definition.ts";
import type { Access } from "./access.ts";

/**
 * The id that a create asks for (spec: Custom ids 2).
 * @throws ApiError `id_required` | `invalid_id`
 */
export function requestedId(customId: CustomId, sent: JsonValue | undefined, { caller }: Access): string {
  if (sent === undefined)
    throw new ApiError("id_required", "Documents of this collection need an id of your choice.");
  if (typeof sent !== "string" || !isId(sent)) {
    throw invalidId(
      "An id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not . or .., and does not start with _.",
    );
  }
  if (customId.is === "user" && !(caller?.kind === "user" && caller.user.id === sent)) {
    throw invalidId("The id must be that of the user who creates the document.");
  }
  if (customId.pattern !== undefined && !customId.pattern.test(sent)) {
    throw invalidId("The id does not match the collection's pattern.");
  }
  return sent;
}

function invalidId(message: string): ApiError {
  return new ApiError("invalid_id", message);
}

/** @throws ApiError `id_not_allowed` for an id sent to a collection that generates ids */
export function refuseId(sent: JsonValue | undefined): undefined {
  if (sent !== undefined) throw new ApiError("id_not_allowed", "Ids of this collection are generated.");
}
