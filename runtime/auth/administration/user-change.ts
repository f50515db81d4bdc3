import * as contract from "../../contract/user-administration.ts";
import type { BodyOf } from "../../http/contract-body.ts";
import { longBackoff, optimistic } from "../../retry.ts";
import { equal } from "../../validation/equal.ts";
import { emailKey } from "../../validation/people.ts";
import { patchProfile } from "../accounts/person.ts";
import { forgetSessions } from "../accounts/sessions.ts";
import { administratorRoute } from "../contracted.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import type { UserRecord } from "../records.ts";
import { changeUser, withFreeEmail, withSessionsEnded } from "../users.ts";
import type { Administrator } from "./administrator.ts";
import { type AuditEntry, appendAudit } from "./audit.ts";
import { requireAuthority, requireGrantable } from "./grants.ts";
import { administratorView, noSuchUser } from "./users.ts";

/** `disabled: true` ends all of the user's sessions; a new `email` is unverified and ends what was mailed to the former. */
export const patchUser = administratorRoute(
  contract.patchUser,
  inRealm((realm) => async ({ exchange, params: { id }, body }, administrator) => {
    const { email, ...given } = body();
    const address = email === undefined ? undefined : { email, email_key: emailKey(email) ?? email };
    const patch: Patch = { ...given, email: address };
    const user = await optimistic(longBackoff, async () => {
      const settleOrganizations = await organizationsChange(realm, id, patch);
      const after = await withFreeEmail(() =>
        changeUser(
          realm.store,
          id,
          (before) => changed(realm, administrator, before, patch),
          async (transaction, before, after) => {
            if (before.disabled !== after.disabled) await settleOrganizations?.(transaction);
            const target = `user:${id}`;
            for (const entry of changes(before, after))
              await appendAudit(realm, transaction, exchange, administrator.caller, { ...entry, target });
          },
        ),
      );
      if (after === undefined) throw noSuchUser();
      return after;
    });
    if (user.disabled) await forgetSessions(realm.store, user);
    return administratorView(realm, user);
  }),
);

/** What it does to organizations where the account ends or returns; undefined: nothing. */
async function organizationsChange({ organizations }: AccountRealm, id: string, { disabled }: Patch) {
  if (disabled === undefined) return undefined;
  return organizations?.accountChange(id, disabled ? "disabled" : "enabled");
}

/** What is to change; absent: nothing. */
interface Patch extends Omit<BodyOf<typeof contract.patchUser>, "email"> {
  readonly email?: Pick<UserRecord, "email" | "email_key"> | undefined;
}

/**
 * The record itself when nothing changes. What the user holds is looked at here, in the transaction: a role given
 * meanwhile counts.
 * @throws ApiError `forbidden` | `validation_error`
 */
function changed(
  { accounts }: AccountRealm,
  administrator: Administrator,
  before: UserRecord,
  { email, roles, disabled, locale, profile }: Patch,
): UserRecord {
  const patched = profile === undefined ? before.profile : patchProfile(before.profile, profile, accounts);
  const after: UserRecord = {
    ...(disabled === true && !before.disabled ? withSessionsEnded(before) : before),
    ...(email !== undefined && email.email !== before.email && email),
    ...(email !== undefined && email.email_key !== before.email_key && { email_verified: false }),
    ...(roles !== undefined && !sameRoles(roles, before.roles) && { roles }),
    ...(disabled !== undefined && { disabled }),
    ...(locale !== undefined && { locale }),
    profile: equal(patched, before.profile) ? before.profile : patched,
  };
  const changes = changedMembers(before, after);
  if (changes.length === 0) return before;
  if (changes.some((member) => member !== "locale" && member !== "profile"))
    requireAuthority(administrator, before, accounts);
  if (after.roles !== before.roles) requireGrantable(administrator, after.roles, accounts);
  return after;
}

const members = ["email", "roles", "disabled", "locale", "profile"] as const;

function changedMembers(before: UserRecord, after: UserRecord): readonly (typeof members)[number][] {
  return members.filter((member) => before[member] !== after[member]);
}

type Change = Pick<AuditEntry, "action" | "details">;

/** What the audit trail tells of a change: of what people say of themselves, and of addresses, only that they changed. */
function changes(before: UserRecord, after: UserRecord): readonly Change[] {
  const changed = changedMembers(before, after);
  const described = changed.filter((member) => member === "locale" || member === "profile");
  return [
    ...changed.flatMap((member): readonly Change[] => {
      switch (member) {
        case "email":
          return [{ action: "user.email" }];
        case "roles":
          return [{ action: "user.roles", details: { from: before.roles, to: after.roles } }];
        case "disabled":
          return [{ action: after.disabled ? "user.disable" : "user.enable" }];
        default:
          return [];
      }
    }),
    ...(described.length > 0 ? [{ action: "user.update", details: { members: described } } as const] : []),
  ];
}

function sameRoles(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((role) => other.includes(role));
}
