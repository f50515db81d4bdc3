import { index, shape, withFeed } from "../auth/collections.ts";
import { field } from "../filter/fields.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { CollectionShape } from "../store/contract/shape.ts";

/** Names of the system collections of organizations. */
export const collections = {
  organizations: "_svc.orgs",
  members: "_svc.members",
  invitations: "_svc.org_invitations",
  marks: "_svc.org_marks",
} as const;

/** What records are searched by, collection by collection. */
export const organizationFields = {
  name: field("name", "string"),
  slug: field("slug", "string"),
  slug_key: field("slug_key", "string"),
  status: field("status", "string"),
  created_by: field("created_by", "string"),
  erased_at: field("erased_at", "date-time"),
  cleanup_job: field("cleanup.job", "string"),
};

export const memberFields = {
  org: field("org", "string"),
  user: field("user", "string"),
  roles: field("roles", "string", ["roles"]),
  teams: field("teams", "string", ["teams"]),
  /** Not of the record: see `writeMember`. */
  team_role_keys: field("team_role_keys", "string", ["team_role_keys"]),
};

export const invitationFields = {
  org: field("org", "string"),
  token: field("token", "string"),
  mailed_token: field("mailed_token", "string"),
  email: field("email", "string"),
  /** Not of the record: see `writeOrganizationInvitation`. */
  pending_until: field("pending_until", "date-time"),
  used_by: field("used_by", "string", ["used_by"]),
};

/** Names of unique indexes, as a `UniqueViolation` reports them. */
export const uniqueIndexes = {
  slug: "slug",
  invitationToken: "token",
  mailedInvitationToken: "mailed_token",
} as const;

const shapes: readonly CollectionShape[] = [
  shape(collections.organizations, organizationFields, [
    index(uniqueIndexes.slug, organizationFields.slug_key, true),
    index("status", organizationFields.status, false),
    index("created_by", organizationFields.created_by, false),
  ]),
  shape(collections.members, memberFields, [
    index("org", [memberFields.org, memberFields.user], false),
    index("user", [memberFields.user, memberFields.org], false),
  ]),
  shape(collections.invitations, invitationFields, [
    index(uniqueIndexes.invitationToken, invitationFields.token, true),
    index(uniqueIndexes.mailedInvitationToken, invitationFields.mailed_token, true),
    index("org", invitationFields.org, false),
    index("pending", [invitationFields.org, invitationFields.pending_until], false),
    index("used_by", invitationFields.used_by, false),
  ]),
  shape(collections.marks, {}),
];

/** Callers' access depends on them. */
const followed: ReadonlySet<string> = new Set([
  collections.organizations,
  collections.members,
  collections.marks,
]);

/** Those of a realm: none where it has no organizations. */
export function organizationCollections(definition: RealmDefinition): readonly CollectionShape[] {
  return definition.accounts?.organizations === undefined ? [] : withFeed(shapes, followed, definition);
}
