/** api-decisions: Administrator routes about organizations. */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { member } from "./members.ts";
import { invitingErrors, madeInvitation, newInvitation } from "./organization-invitations.ts";
import { claims, made, memberRoles, organizationMembers, slug } from "./organizations.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page } from "./schema.ts";

const sees = { kind: "administrator", area: "users", to: "see" } as const;
const changes = { kind: "administrator", area: "users", to: "change" } as const;

/** Of what changes an organization, or anything in it, that is not deleted. */
const living = ["conflict", "write_conflict"] as const;

const user = { ...id, description: "Id of a user." } as const;

const administered = named(
  "AdministeredOrganization",
  closed({
    ...organizationMembers,
    status: { type: "string", enum: ["active", "orphaned", "deleted"] },
    member_count: { type: "integer", minimum: 0 },
  }),
);
const organization = { description: "The organization.", schema: administered } as const;

export const listOrganizations = contract({
  id: "adminListOrganizations",
  method: "GET",
  path: "/_admin/orgs",
  who: sees,
  query: [...paging, "OrganizationStatus", "OrganizationQuery"],
  answers: {
    200: { description: "A page.", schema: page("AdministeredOrganizationPage", administered) },
  },
  tag,
  summary: "List organizations",
  about: "Oldest first, deleted ones too.",
  client: { method: "$admin.listOrganizations", options: "OrganizationOptions" },
});

export const createOrganizationFor = contract({
  id: "adminCreateOrganization",
  method: "POST",
  path: "/_admin/orgs",
  who: changes,
  body: {
    schema: named("NewOrganizationFor", closed({ ...made, owner: user }, ["name", "owner"])),
    media: "json",
  },
  answers: { 201: organization },
  errors: ["slug_taken", "write_conflict"],
  tag,
  summary: "Create an organization for a user",
  about: "They get the roles that the realm gives creators.",
  client: "$admin.createOrganization",
});

export const getAnyOrganization = contract({
  id: "adminGetOrganization",
  method: "GET",
  path: "/_admin/orgs/{org}",
  who: sees,
  answers: { 200: organization },
  tag,
  summary: "Fetch an organization",
  client: "$admin.getOrganization",
});

export const removeOrganization = contract({
  id: "adminDeleteOrganization",
  method: "DELETE",
  path: "/_admin/orgs/{org}",
  who: { ...changes, proof: true },
  answers: { 204: { description: "Deleted." } },
  errors: living,
  tag,
  summary: "Delete an organization",
  about: "Sessions need a fresh proof of identity.",
  client: "$admin.deleteOrganization",
});

export const getOwned = contract({
  id: "adminGetOwned",
  method: "GET",
  path: "/_admin/orgs/{org}/owned",
  who: sees,
  answers: {
    200: {
      description: "By collection.",
      schema: named(
        "OwnedDocuments",
        closed({
          items: {
            type: "array",
            items: {
              ...closed({
                database: { type: "string" },
                collection: { type: "string" },
                count: { type: "integer", minimum: 0, description: "Documents, deleted ones too." },
                policy: {
                  type: "string",
                  enum: ["delete", "keep"],
                  description: "What becomes of them when the organization is deleted.",
                },
              }),
              client: "OwnedDocuments",
            },
          },
        }),
      ),
    },
  },
  tag,
  summary: "Count the documents of an organization",
  client: "$admin.listOwned",
});

export const reactivateOrganization = contract({
  id: "adminReactivateOrganization",
  method: "POST",
  path: "/_admin/orgs/{org}/reactivate",
  who: changes,
  body: {
    schema: named(
      "Reactivation",
      closed({ slug: { ...slug, description: "The one that it had unless given." } }, []),
    ),
    media: "json",
    optional: true,
  },
  answers: { 200: organization },
  errors: ["slug_taken", ...living],
  tag,
  summary: "Bring a deleted organization back",
  about: "Without members: assign a manager next. What its deletion erases is erased.",
  client: "$admin.reactivateOrganization",
});

export const putClaims = contract({
  id: "adminPutClaims",
  method: "PUT",
  path: "/_admin/orgs/{org}/claims",
  who: changes,
  body: { schema: claims, media: "json" },
  answers: { 200: { description: "The claims.", schema: claims } },
  errors: living,
  tag,
  summary: "Replace an organization's claims",
  about: "At most 16,384 characters of JSON. Its members read them.",
  client: "$admin.putClaims",
});

export const putManager = contract({
  id: "adminPutManager",
  method: "PUT",
  path: "/_admin/orgs/{org}/manager",
  who: changes,
  body: { schema: named("Manager", closed({ user })), media: "json" },
  answers: { 200: organization },
  errors: living,
  tag,
  summary: "Give an organization a manager",
  about: "The user gets the roles that the realm gives creators. One that is `orphaned` is `active` again.",
  client: { method: "$admin.putManager", spread: true },
});

export const putMember = contract({
  id: "adminPutMember",
  method: "PUT",
  path: "/_admin/orgs/{org}/members/{user}",
  who: changes,
  body: { schema: memberRoles, media: "json" },
  answers: { 200: { description: "The member.", schema: member } },
  errors: ["last_org_manager", ...living],
  tag,
  summary: "Make a user a member, or replace a member's direct roles",
  client: { method: "$admin.putMember", spread: true },
});

export const deleteMember = contract({
  id: "adminRemoveMember",
  method: "DELETE",
  path: "/_admin/orgs/{org}/members/{user}",
  who: changes,
  answers: { 204: { description: "Removed." } },
  errors: ["last_org_manager", ...living],
  tag,
  summary: "Remove a member from an organization and its teams",
  client: "$admin.removeMember",
});

export const createInvitationTo = contract({
  id: "adminInviteToOrganization",
  method: "POST",
  path: "/_admin/orgs/{org}/invitations",
  who: changes,
  body: { schema: newInvitation, media: "json" },
  answers: { 201: madeInvitation },
  errors: ["conflict", ...invitingErrors],
  tag,
  summary: "Invite somebody to an organization",
  about: "To any role; one for whoever has its token never gives roles that manage anything.",
  client: "$admin.inviteToOrganization",
});

export const organizationAdministration: readonly RouteContract[] = [
  listOrganizations,
  createOrganizationFor,
  getAnyOrganization,
  removeOrganization,
  getOwned,
  reactivateOrganization,
  putClaims,
  putManager,
  putMember,
  deleteMember,
  createInvitationTo,
];
