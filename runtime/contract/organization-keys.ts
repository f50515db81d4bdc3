/** Keys of organizations, which their members make: each is a service member of its organization, and nobody else. */
import { contract, type RouteContract } from "./contract.ts";
import {
  keyFacts,
  keyLifetime,
  keyName,
  networks,
  rotationBody,
  scopes,
  shownKey,
  storedScopes,
} from "./key-members.ts";
import { organizationRoles, organizationsTag as tag } from "./members.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page, strings } from "./schema.ts";
import type { RealmTraits } from "./traits.ts";

const sees = { kind: "member", manage: ["members"] } as const;
const changes = { ...sees, proof: true } as const;
const when = ({ organizations }: RealmTraits): boolean => organizations?.keys === true;

const facts = {
  roles: { ...organizationRoles, description: "Direct ones of its service member." },
  teams: { ...strings, description: "Ids." },
  scopes: storedScopes,
  ...keyFacts,
} as const;

const made = named("MadeOrganizationKey", closed({ id, name: id, key: shownKey, ...facts }));

export const listOrganizationKeys = contract({
  id: "getOrganizationKeys",
  method: "GET",
  path: "/_orgs/{org}/keys",
  who: sees,
  query: paging,
  answers: {
    200: {
      description: "A page.",
      schema: page("OrganizationKeyPage", named("OrganizationKey", closed({ id, name: id, ...facts }))),
    },
  },
  tag,
  summary: "List the keys of an organization",
  about: "Needs `manage: members`. Those that its members made, oldest first.",
  client: "$orgs.keys",
  when,
});

export const createOrganizationKey = contract({
  id: "createOrganizationKey",
  method: "POST",
  path: "/_orgs/{org}/keys",
  who: changes,
  body: {
    schema: named(
      "NewOrganizationKey",
      closed(
        {
          name: {
            ...keyName,
            description:
              "Unique among the organization's keys, without control characters and without space at its ends. What the key writes names it: `key:<name>`.",
          },
          roles: organizationRoles,
          teams: { ...strings, description: "Ids of teams of the organization." },
          scopes,
          expires_in: keyLifetime,
          networks,
        },
        ["name"],
      ),
    ),
    media: "json",
  },
  answers: { 201: { description: "The key, shown this once.", schema: made } },
  errors: ["conflict", "team_limit_reached", "write_conflict"],
  tag,
  summary: "Make a key of an organization",
  about:
    "Needs `manage: members`. It is a service member of the organization: a member with these roles and teams, there alone, who manages nothing. Nobody gives it roles that manage more than they do. At most 50.",
  client: "$orgs.createKey",
  when,
});

export const rotateOrganizationKey = contract({
  id: "rotateOrganizationKey",
  method: "POST",
  path: "/_orgs/{org}/keys/{id}/rotate",
  who: changes,
  body: { schema: rotationBody, media: "json", optional: true },
  answers: { 200: { description: "The new key, shown this once.", schema: made } },
  errors: ["not_found", "conflict", "write_conflict"],
  tag,
  summary: "Rotate a key of an organization",
  about:
    "Needs `manage: members`, and that one could give what its service member has. Its id and its end stay; the former key is good for a while still.",
  client: "$orgs.rotateKey",
  when,
});

export const revokeOrganizationKey = contract({
  id: "revokeOrganizationKey",
  method: "DELETE",
  path: "/_orgs/{org}/keys/{id}",
  who: sees,
  answers: { 204: { description: "Revoked." } },
  errors: ["not_found", "write_conflict"],
  tag,
  summary: "Revoke a key of an organization",
  about: "Needs `manage: members`. It ends with the next request, and its service member with it.",
  client: "$orgs.revokeKey",
  when,
});

export const organizationKeys: readonly RouteContract[] = [
  listOrganizationKeys,
  createOrganizationKey,
  rotateOrganizationKey,
  revokeOrganizationKey,
];
