import { type Build, needlessBodyErrors, type Paths } from "../build.ts";
import type { OrganizationSchemas } from "../schemas/organizations.ts";
import { changing, forMembers, forUsers } from "./membership.ts";

/** What making an invitation answers, whoever makes it. */
export const inviting = ["team_limit_reached", "invitations_limit", ...changing] as const;

/** spec: Invitation to an organization. */
export function organizationInvitationPaths(build: Build, schemas: OrganizationSchemas): Paths {
  const own = `/v1/${build.realm.name}/_orgs/{org}/invitations`;
  const { invitations, newInvitation, madeInvitation } = schemas;
  return {
    [own]: build.path(["Organization"], {
      get: forMembers(build, {
        id: "getOrganizationInvitations",
        summary: "List invitations to an organization",
        about: "For its managers. Also those that are over; never their tokens.",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: invitations } },
      }),
      post: forMembers(build, {
        id: "createOrganizationInvitation",
        summary: "Invite somebody to an organization",
        about:
          "Needs `manage: members`. Nobody invites to roles that manage more than they do; an invitation for whoever has its token never gives roles that manage anything.",
        body: { schema: newInvitation },
        answers: {
          201: { description: "The invitation with its token, shown this once.", schema: madeInvitation },
        },
        errors: inviting,
      }),
    }),
    [`${own}/{id}`]: build.path(["Organization", "Id"], {
      delete: forMembers(build, {
        id: "revokeOrganizationInvitation",
        summary: "Revoke an invitation to an organization",
        about: "For its managers. One that was accepted cannot be revoked.",
        answers: { 204: { description: "Revoked." } },
        errors: ["not_found", "conflict", ...changing],
      }),
    }),
    ...tokenPaths(build, schemas, own),
    ...ownPaths(build, schemas),
  };
}

function tokenPaths(build: Build, { link }: OrganizationSchemas, path: string): Paths {
  const errors = ["not_found", "conflict", ...changing, ...needlessBodyErrors] as const;
  return {
    [`${path}/{id}/link`]: build.path(["Organization", "Id"], {
      post: forMembers(build, {
        id: "renewInvitationLink",
        summary: "Make another link of an invitation",
        about: "For managers who could give what it gives. The link before ends.",
        answers: { 200: { description: "The link, shown this once.", schema: link } },
        errors,
      }),
    }),
    [`${path}/{id}/send`]: build.path(["Organization", "Id"], {
      post: forMembers(build, {
        id: "sendInvitation",
        summary: "Mail an invitation again, with another link",
        about:
          "For managers who could give what it gives. Of an address that was mailed three times in an hour the answer is the same, but nothing is mailed and the link before stays.",
        answers: { 202: { description: "A mail is on its way." } },
        errors,
      }),
    }),
  };
}

function ownPaths(build: Build, { token, preview, own }: OrganizationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_orgs/invitations`;
  return {
    [`${path}/preview`]: build.path([], {
      post: forUsers(build, {
        id: "previewInvitation",
        summary: "Look at what accepting an invitation would give",
        about: "For whom it is for.",
        body: { schema: token },
        answers: { 200: { description: "What it gives, and where.", schema: preview } },
        errors: ["invalid_invitation", "invitation_not_for_you"],
      }),
    }),
    [`${path}/accept`]: build.path([], {
      post: forUsers(build, {
        id: "acceptInvitation",
        summary: "Accept an invitation to an organization",
        about:
          "Gives roles and teams to who is a member already. Where it changes nothing it uses nothing up.",
        body: { schema: token },
        answers: { 200: { description: "The organization, with what the caller is in it.", schema: own } },
        errors: [
          "invalid_invitation",
          "invitation_not_for_you",
          "org_requires_mfa",
          "team_limit_reached",
          ...changing,
        ],
      }),
    }),
  };
}
