/** Errors that operations on a collection's documents answer by its settings, beside what all operations do. */
import type { OperationError } from "../../runtime/contract/errors.ts";
import type { Collection, Realm } from "./model.ts";

/** Errors of a create beyond those of every body; `_batch` shares them. */
export function createErrors(
  { auth }: Pick<Realm, "auth">,
  collection: Collection,
): readonly OperationError[] {
  return [
    ...(collection.customId
      ? (["id_required", "invalid_id", "id_taken", "too_many_requests"] as const)
      : (["id_not_allowed"] as const)),
    ...belongingErrors(collection),
    ...uniqueErrors(collection),
    ...(auth ? (["request_in_progress", "idempotency_key_reused"] as const) : []),
  ];
}

/** What a create answers about the organization and the team that it names. */
function belongingErrors({ organization }: Collection): readonly OperationError[] {
  if (organization === undefined) return ["org_not_allowed", "team_not_allowed"];
  const { required, teams } = organization;
  const missing = required || teams !== undefined ? (["org_required"] as const) : [];
  if (teams === undefined) return [...missing, "not_org_member", "team_not_allowed"];
  return [
    ...missing,
    "not_org_member",
    "forbidden",
    ...(teams === "required" ? (["team_required"] as const) : []),
  ];
}

/** Errors of a replacement or change; `_batch` shares them. */
export function updateErrors(collection: Collection): readonly OperationError[] {
  return [
    ...changeErrors(collection),
    ...(collection.organization === undefined ? [] : (["immutable_field"] as const)),
  ];
}

/** Errors of a write to a stored document. */
export function changeErrors(collection: Collection): readonly OperationError[] {
  return ["not_found", "write_conflict", "version_mismatch", ...uniqueErrors(collection)];
}

function uniqueErrors(collection: Collection): readonly OperationError[] {
  return collection.indexes.some(({ unique }) => unique) ? ["conflict"] : [];
}

/** What `$search` can be answered with. */
export function searchErrors({ text }: Collection): readonly OperationError[] {
  return text ? ["search_too_expensive", "index_building"] : ["search_not_enabled"];
}

/** Of reads that can expand. */
export function expandErrors({ references }: Collection): readonly OperationError[] {
  return ["invalid_expand", ...(references.length > 0 ? (["expand_too_large"] as const) : [])];
}
