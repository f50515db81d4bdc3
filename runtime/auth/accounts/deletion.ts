import { eq } from "../../filter/algebra.ts";
import type { Caller } from "../../realm/caller.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { longBackoff, Outdated, optimistic } from "../../retry.ts";
import { appendAudit } from "../administration/audit.ts";
import { collections, keyFields, tokenFields } from "../collections.ts";
import { forgetInvited, invitationOf } from "../invitations.ts";
import { ending } from "../key-changes.ts";
import { removeAll } from "../matching.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type UserRecord } from "../records.ts";
import { endSessions } from "./sessions.ts";

/**
 * Deletes a user; their address is free at once. Documents stay as they are, `_meta.owner` too, and so does the audit
 * trail, which names no e-mail address. Keys that act for them end; they leave every organization.
 * @param permit throws where the caller may not delete this user
 * @returns false when there is no such user
 */
export async function deleteUser(
  realm: AccountRealm,
  exchange: Exchange,
  by: Caller,
  id: string,
  permit: (user: UserRecord) => void = () => {},
): Promise<boolean> {
  const { store } = realm;
  const deleted = await optimistic(longBackoff, async () => {
    // Read before its keys: one that it is given meanwhile is met in the transaction.
    const account = await store.collection(collections.users).get(id, "live");
    if (account === undefined) return false;
    const invitation = await invitationOf(store, id);
    const keys = await ending(store, eq(keyFields.subject, id));
    const leaveOrganizations = await realm.organizations?.accountChange(id, "deleted");
    return store.transaction(async (transaction) => {
      const users = transaction.collection(collections.users);
      const document = await users.get(id, "live");
      if (document === undefined) return false;
      if (document.version !== account.version) throw new Outdated();
      permit(readUser(document).record);
      await keys.write(transaction);
      await leaveOrganizations?.(transaction);
      if (!(await users.remove(id, document.version))) return false;
      if (invitation !== undefined) await forgetInvited(transaction, invitation);
      await appendAudit(realm, transaction, exchange, by, { action: "user.delete", target: `user:${id}` });
      return true;
    });
  });
  if (!deleted) return false;
  // Without their user they are worth nothing; this forgets them.
  await endSessions(store, id);
  await removeAll(store, collections.tokens, eq(tokenFields.user, id));
  return true;
}
