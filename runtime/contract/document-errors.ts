/** Errors that operations on a collection's documents answer by its settings, beside what all operations do. */
import type { OperationError } from "./errors.ts";
import type { CollectionTraits, RealmTraits } from "./traits.ts";

/** Errors of a create beyond those of every body; `_batch` shares them. */
export function createErrors(
  { auth }: Pick<RealmTraits, "auth">,
  collection: CollectionTraits,
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
function belongingErrors({ organization }: CollectionTraits): readonly OperationError[] {
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
export function updateErrors(collection: CollectionTraits): readonly OperationError[] {
  return [
    ...changeErrors(collection),
    ...(collection.organization === undefined ? [] : (["immutable_field"] as const)),
  ];
}

/** Errors of a write to a stored document. */
export function changeErrors(collection: CollectionTraits): readonly OperationError[] {
  return ["not_found", "write_conflict", "version_mismatch", ...uniqueErrors(collection)];
}

function uniqueErrors({ indexes }: CollectionTraits): readonly OperationError[] {
  return indexes.some(({ unique }) => unique) ? ["conflict"] : [];
}

/** What `$search` can be answered with. */
export function searchErrors({ text }: CollectionTraits): readonly OperationError[] {
  return text ? ["search_too_expensive", "index_building"] : ["search_not_enabled"];
}

/** Of reads that can expand. */
export function expandErrors(collection: CollectionTraits): readonly OperationError[] {
  return ["invalid_expand", ...(expands(collection) ? (["expand_too_large"] as const) : [])];
}

/** Whether it has references. */
export function expands({ references = {} }: CollectionTraits): boolean {
  return Object.keys(references).length > 0;
}
