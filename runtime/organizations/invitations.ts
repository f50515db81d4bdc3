import { mayMail } from "../auth/accounts/mailing.ts";
import type { AuditAction } from "../auth/administration/audit.ts";
import { newToken, tokenHash } from "../auth/credentials/tokens.ts";
import { answerPage, listOf, pageRequest } from "../auth/paging.ts";
import type { Read } from "../auth/records.ts";
import * as contract from "../contract/organization-invitations.ts";
import { ApiError } from "../errors.ts";
import { eq } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { Mail } from "../realm/mail.ts";
import type { Decision } from "./change.ts";
import { collections, invitationFields } from "./collections.ts";
import { requireGivable, teamsOf } from "./granting.ts";
import {
  invitationDecision,
  invitationEntry,
  invitationLink,
  invitationMail,
  organizationInvitationStatus,
  requireInvitation,
} from "./invitation.ts";
import { type OrganizationInvitationRecord, readOrganizationInvitation } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";

const listed = listOf(
  collections.invitations,
  documentFields.id,
  readOrganizationInvitation,
  ({ created_at, id }) => [created_at, id],
);

export const listOrganizationInvitations = memberRoute(
  contract.listOrganizationInvitations,
  (realm) =>
    async ({ query }, { org }) => {
      const now = realm.clock.now();
      const entry = (invitation: OrganizationInvitationRecord) => invitationEntry(invitation, now);
      return answerPage(realm, listed, eq(invitationFields.org, org.record.id), pageRequest(query), entry);
    },
);

/** Of one that is over there is nothing left to end. */
export const revokeOrganizationInvitation = memberRoute(
  contract.revokeOrganizationInvitation,
  (realm) =>
    async ({ exchange, params }, standing) => {
      const decide = async (now: Standing): Promise<Decision<undefined>> => {
        const before = await requireInvitation(realm, now.org.record.id, params.id);
        const status = organizationInvitationStatus(before.record, realm.clock.now());
        if (status === "accepted") throw new ApiError("conflict", "The invitation was accepted already.");
        if (status !== "pending") return { result: undefined };
        const after = { ...before.record, revoked: true };
        const write = { before, after, action: "org.invitation.revoke" } as const;
        return invitationDecision(realm, exchange, now.caller, now.org.record, write, undefined);
      };
      await changeAs(realm, standing, decide);
    },
);

export const renewInvitationLink = memberRoute(
  contract.renewInvitationLink,
  (realm) =>
    async ({ exchange }, standing) => {
      const token = newToken("svi");
      const { id } = await changeAs(realm, standing, (now) =>
        reissue(realm, exchange, now, { token: tokenHash(token) }, "org.invitation.link"),
      );
      return { id, token, link: invitationLink(realm, token) };
    },
);

export const sendInvitationAgain = memberRoute(
  contract.sendInvitation,
  (realm) =>
    async ({ exchange }, standing) => {
      const to = addressOf((await requireOwn(realm, exchange, standing)).record);
      if (await mayMail(realm, to, exchange.address)) {
        const token = newToken("svi");
        await changeAs(realm, standing, (now) => {
          const tokens = { token: null, mailed_token: tokenHash(token) };
          const mail = invitationMail(realm, to, token, now.org.record, now.caller);
          return reissue(realm, exchange, now, tokens, "org.invitation.send", mail);
        });
        realm.wakeJobs();
      }
    },
);

/** @throws ApiError `conflict` */
function addressOf({ email }: OrganizationInvitationRecord): string {
  if (email !== null) return email;
  throw new ApiError("conflict", "Only an invitation for an e-mail address can be sent.");
}

/**
 * Gives an invitation other tokens: those before are void.
 * @param tokens hashes
 */
async function reissue(
  realm: OrganizationRealm,
  exchange: Exchange,
  now: Standing,
  tokens: Pick<OrganizationInvitationRecord, "token" | "mailed_token">,
  action: AuditAction & `org.invitation.${"link" | "send"}`,
  mail?: Mail,
): Promise<Decision<OrganizationInvitationRecord>> {
  const before = await requireOwn(realm, exchange, now);
  const { mailed_token: _, ...record } = before.record;
  const after = { ...record, ...tokens };
  const write = { before, after, action, mail };
  return invitationDecision(realm, exchange, now.caller, now.org.record, write, after);
}

/**
 * A pending invitation, all of which the caller could give.
 * @throws ApiError `not_found` | `forbidden` | `conflict`
 */
async function requireOwn(
  realm: OrganizationRealm,
  { params }: Exchange,
  standing: Standing,
): Promise<Read<OrganizationInvitationRecord>> {
  const { record: org } = standing.org;
  const read = await requireInvitation(realm, org.id, params.id);
  const { roles, teams } = read.record;
  requireGivable(realm.settings, standing, roles, teamsOf(org, teams));
  if (organizationInvitationStatus(read.record, realm.clock.now()) !== "pending") {
    throw new ApiError("conflict", "The invitation is over.");
  }
  return read;
}
