import { ApiError } from "../../errors.ts";
import { covers } from "../../realm/administration.ts";
import { keyOf } from "../../realm/caller.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import { administrationOfRoles, heldRoles } from "../users.ts";
import type { Administrator } from "./administrator.ts";

/**
 * Nobody gives more than they hold (spec: Authentication 10).
 * @throws ApiError `forbidden` when the roles administer something that the administrator does not
 */
export function requireGrantable(
  administrator: Administrator,
  roles: readonly string[],
  accounts: AccountSettings,
): void {
  if (holds(administrator, roles, accounts)) return;
  throw new ApiError("forbidden", "These roles administer more than you do.");
}

/**
 * Nor reaches it by detour, by taking over or shutting out somebody who holds it (api-decisions: Keys and callers).
 * @throws ApiError `forbidden` when the user administers something that the administrator does not
 */
export function requireAuthority(
  administrator: Administrator,
  user: { readonly roles: readonly string[] },
  accounts: AccountSettings,
): void {
  if (holds(administrator, heldRoles(user, accounts), accounts)) return;
  throw new ApiError("forbidden", "This account administers more than you do.");
}

function holds(
  { caller, administration }: Administrator,
  roles: readonly string[],
  accounts: AccountSettings,
): boolean {
  const asked = administrationOfRoles(roles, accounts);
  if (!covers(administration, asked)) return false;
  // Sessions have no scopes: one that reaches documents, or makes keys that do, would free a key of its own.
  const isLimited = keyOf(caller)?.scopes !== undefined;
  return !(isLimited && (asked?.see.has("data") || asked?.change.has("apikeys")));
}
