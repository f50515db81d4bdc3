/** What the operations that write documents have in common, and those that are asked about organizations. */

import type { Collection } from "../../../compiler/model/model.ts";
import type { OperationError } from "../../../runtime/contract/errors.ts";
import type { ParameterName } from "../../../runtime/contract/parameters.ts";
import type { Answer, Build } from "../build.ts";
import type { CollectionSchemas } from "../schemas/collection.ts";

/** What writes to a document that is there may ask of it. */
export const conditions = ["IfMatch", "IfNoneMatchOfWrite"] as const;

/** What writes to a document that is there answer. */
export function stored({ document }: CollectionSchemas, stem: string): Answer {
  return {
    name: `${stem}Stored`,
    description: "The document as it is now.",
    schema: document,
    headers: { ETag: "ETag" },
  };
}

/** Errors of a create beyond those of every body; `_batch` shares them. */
export function createErrors(
  { realm }: Pick<Build, "realm">,
  collection: Collection,
): readonly OperationError[] {
  return [
    ...(collection.customId
      ? (["id_required", "invalid_id", "id_taken", "too_many_requests"] as const)
      : (["id_not_allowed"] as const)),
    ...belongingErrors(collection),
    ...uniqueErrors(collection),
    ...(realm.auth ? (["request_in_progress", "idempotency_key_reused"] as const) : []),
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

/** Parameters about organizations, where documents belong to any. */
export function organizationParameters(
  { organization }: Collection,
  { org, team }: { readonly org: ParameterName; readonly team?: ParameterName },
): readonly ParameterName[] {
  if (organization === undefined) return [];
  return organization.teams === undefined || team === undefined ? [org] : [org, team];
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
