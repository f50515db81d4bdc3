/** api-decisions: Administrator routes about invitations to the realm. */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { paging } from "./parameters.ts";
import { email, roles } from "./people.ts";
import { closed, id, named, page, timestamp } from "./schema.ts";

const sees = { kind: "administrator", area: "invitations", to: "see" } as const;
const changes = { ...sees, to: "change" } as const;

const invitation = {
  id,
  email: { ...email, type: ["string", "null"], description: "Who may use it; null: whoever has it." },
  roles,
  status: { type: "string", enum: ["pending", "accepted", "expired", "revoked"] },
  expires_at: timestamp,
  created_at: timestamp,
  created_by: { type: "string", description: "`user:<id>` or `key:<name>`." },
} as const;

/** Of an invitation of any kind. */
export const lifetime = {
  type: ["string", "null"],
  pattern: "^[0-9]{1,12}(ms|s|m|h|d)$",
  check: "later",
  description: "A duration of at most `30d`; `7d` unless given.",
} as const;

export const listInvitations = contract({
  id: "adminListInvitations",
  method: "GET",
  path: "/_admin/invitations",
  who: sees,
  query: paging,
  answers: {
    200: { description: "A page.", schema: page("InvitationPage", named("Invitation", closed(invitation))) },
  },
  tag,
  summary: "List invitations to the realm",
  client: "$admin.listInvitations",
});

export const createInvitation = contract({
  id: "adminCreateInvitation",
  method: "POST",
  path: "/_admin/invitations",
  who: changes,
  body: {
    schema: named(
      "NewInvitation",
      closed(
        {
          email: invitation.email,
          roles: { ...roles, description: "Given beside the realm's default roles." },
          expires_in: lifetime,
        },
        [],
      ),
    ),
    media: "json",
  },
  answers: {
    201: {
      description: "The invitation with its token, shown this once.",
      schema: named(
        "MadeInvitation",
        closed({ ...invitation, token: { type: "string", description: "`svi_…`, shown this once." } }),
      ),
    },
  },
  tag,
  summary: "Invite somebody to the realm",
  about: "Nobody invites to roles that administer more than they do.",
  client: "$admin.createInvitation",
});

export const revokeInvitation = contract({
  id: "adminRevokeInvitation",
  method: "DELETE",
  path: "/_admin/invitations/{id}",
  who: changes,
  answers: { 204: { description: "Revoked." } },
  errors: ["conflict", "write_conflict"],
  tag,
  summary: "Revoke an invitation",
  about: "One that was accepted cannot be revoked.",
  client: "$admin.revokeInvitation",
});

export const invitations: readonly RouteContract[] = [listInvitations, createInvitation, revokeInvitation];
