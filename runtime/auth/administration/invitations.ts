import * as contract from "../../contract/invitations.ts";
import { ApiError } from "../../errors.ts";
import { TRUE } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import { collections } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { invitationStatus, newInvitation, readLifetime } from "../invitations.ts";
import { answerPage, lists, pageRequest } from "../paging.ts";
import { inRealm } from "../realm.ts";
import { type InvitationRecord, readInvitation, writeInvitation } from "../records.ts";
import { appendAudit } from "./audit.ts";
import { requireGrantable } from "./grants.ts";

export const listInvitations = administratorRoute(contract.listInvitations, (realm) => async ({ query }) => {
  const now = realm.clock.now();
  const entry = (invitation: InvitationRecord) => invitationEntry(invitation, now);
  return answerPage(realm, lists.invitations, TRUE, pageRequest(query), entry);
});

function invitationEntry(invitation: InvitationRecord, now: number): JsonObject {
  const { id, email, roles, expires_at, created_at, created_by } = invitation;
  const status = invitationStatus(invitation, now);
  return { id, email, roles, status, expires_at, created_at, created_by };
}

export const createInvitation = administratorRoute(
  contract.createInvitation,
  inRealm((realm) => async ({ exchange, body }, administrator) => {
    let lifetime = 0;
    const { email = null, roles = [] } = body(({ expires_in }, tell) => {
      lifetime = readLifetime(expires_in, tell);
    });
    requireGrantable(administrator, roles, realm.accounts);
    const { caller } = administrator;
    const { token, record } = newInvitation(realm, caller, { email, roles, lifetime });
    await realm.store.transaction(async (transaction) => {
      await transaction.collection(collections.invitations).insert(writeInvitation(record, 1));
      await appendAudit(realm, transaction, exchange, caller, {
        action: "invitation.create",
        target: `invitation:${record.id}`,
        details: { roles: record.roles, expires_at: record.expires_at },
      });
    });
    const entry = { ...invitationEntry(record, realm.clock.now()), token };
    return entry;
  }),
);

/** Of one that has expired or was revoked before there is nothing left to end. */
export const revokeInvitation = administratorRoute(
  contract.revokeInvitation,
  (realm) =>
    async ({ exchange, params: { id } }, { caller }) => {
      await realm.store.transaction(async (transaction) => {
        const invitations = transaction.collection(collections.invitations);
        const document = await invitations.get(id, "live");
        if (document === undefined) throw new ApiError("not_found", "There is no such invitation.");
        const { record, version } = readInvitation(document);
        const status = invitationStatus(record, realm.clock.now());
        if (status === "accepted") throw new ApiError("conflict", "The invitation was accepted already.");
        if (status !== "pending") return;
        const revoked = writeInvitation({ ...record, revoked: true }, version + 1);
        if (!(await invitations.replace(version, revoked)))
          throw new ApiError("write_conflict", "The invitation was changed at the same time; try again.");
        await appendAudit(realm, transaction, exchange, caller, {
          action: "invitation.revoke",
          target: `invitation:${id}`,
        });
      });
    },
);
