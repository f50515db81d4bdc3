import type { RuleUser } from "../realm/caller.ts";

/** `hasRole(role…)`: the caller holds at least one of the roles. Anonymous callers hold none. */
export function hasRole(user: Pick<RuleUser, "roles"> | undefined, ...roles: readonly unknown[]): boolean {
  if (user === undefined) return false;
  const held: readonly unknown[] = user.roles;
  return roles.some((role) => held.includes(role));
}
