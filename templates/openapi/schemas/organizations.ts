import * as contract from "../../../runtime/contract/members.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { Build } from "../build.ts";
import { addPage, closed, timestamp } from "./common.ts";
import { email } from "./people.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** The schemas of organizations, as their members see them. */
export interface OrganizationSchemas {
  readonly member: Ref;
  readonly members: Ref;
  /** `{roles}`. */
  readonly memberRoles: Ref;
  readonly organization: Ref;
  /** With what the caller is in it. */
  readonly own: Ref;
  readonly owns: Ref;
  readonly newOrganization: Ref;
  readonly change: Ref;
  readonly invitations: Ref;
  readonly newInvitation: Ref;
  readonly madeInvitation: Ref;
  readonly link: Ref;
  /** `{token}`. */
  readonly token: Ref;
  readonly preview: Ref;
  readonly administered: AdministeredSchemas;
}

/** What their administrators see and send. */
export interface AdministeredSchemas {
  readonly organization: Ref;
  readonly organizations: Ref;
  readonly newOrganization: Ref;
  readonly reactivation: Ref;
  readonly owned: Ref;
  readonly claims: Ref;
  /** `{user}`. */
  readonly manager: Ref;
}

const id = { type: "string" } as const;
const ids = { type: "array", items: id } as const;
const slug = { type: "string", pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$", maxLength: 63 } as const;
const user = { ...id, description: "Id of a user." } as const;

export function organizationSchemas(build: Build): OrganizationSchemas {
  const { schemas: pool } = build;
  const orgRoles = build.schema(contract.organizationRoles);
  const name = build.schema(contract.name);
  const claims = pool.add("Claims", {
    type: "object",
    additionalProperties: true,
    description: "Facts about an organization, written by administrators; rules read them by `orgClaims`.",
  });
  const members = membersOf(claims);
  const { roles, teams, effective_roles } = standing(build);
  const mfa_met = {
    type: "boolean",
    description: "False where the organization requires a second factor that this session did not use.",
  };
  const own = pool.add("OwnOrganization", closed({ ...members, roles, effective_roles, teams, mfa_met }));
  const made = { name, slug: { ...slug, description: "Made of the name unless given." } };
  return {
    member: build.component(contract.member),
    members: build.component(contract.members),
    memberRoles: pool.add("MemberRoles", closed({ roles: orgRoles })),
    ...invitationSchemas(pool, orgRoles),
    organization: pool.add("Organization", closed(members)),
    own,
    owns: addPage(pool, "OwnOrganizationPage", own),
    newOrganization: pool.add("NewOrganization", closed(made, ["name"])),
    change: pool.add("OrganizationChange", closed({ name, slug, require_mfa: { type: "boolean" } }, [])),
    administered: administeredSchemas(pool, members, made, claims),
  };
}

/** Members of an organization as every answer has them. */
function membersOf(claims: Ref): JsonObject {
  return {
    id,
    name: { type: "string" },
    slug: { type: "string" },
    status: {
      type: "string",
      enum: ["active", "orphaned"],
      description: "`orphaned`: nobody can manage it.",
    },
    require_mfa: { type: "boolean", description: "Whether its members must use a second factor." },
    claims,
  };
}

/** What the caller is in an organization of theirs. */
function standing(build: Build): JsonObject {
  return {
    roles: { ...build.schema(contract.organizationRoles), description: "The caller's direct ones." },
    effective_roles: build.schema(contract.effectiveRoles),
    teams: { ...ids, description: "Ids of the caller's teams." },
  };
}

type InvitationSchemas = Pick<
  OrganizationSchemas,
  "invitations" | "newInvitation" | "madeInvitation" | "link" | "token" | "preview"
>;

function invitationSchemas(pool: SchemaPool, roles: JsonObject): InvitationSchemas {
  const token = { type: "string", description: "`svi_…`, shown this once." };
  const link = {
    type: ["string", "null"],
    description: "The realm's invitation link with the token; null where it has none.",
  };
  const binding = {
    type: "string",
    enum: ["user", "email", "none"],
    description: "Whom it is for: a user, who has an e-mail address, verified, or whoever has its token.",
  };
  const entry = {
    id,
    binding,
    user: { ...id, type: ["string", "null"] },
    email: { ...email, type: ["string", "null"] },
    // Those that it was made with, whatever became of them.
    roles: ids,
    teams: { ...ids, description: "Ids." },
    status: { type: "string", enum: ["pending", "accepted", "expired", "revoked"] },
    uses: { type: "integer", minimum: 0 },
    max_uses: { type: "integer", minimum: 1 },
    expires_at: timestamp,
    created_at: timestamp,
    created_by: { type: "string", description: "`user:<id>` or `key:<name>`." },
  };
  const asked = {
    binding: {
      ...binding,
      type: ["string", "null"],
      enum: [...binding.enum, null],
      description: "By `email` or `user`, whichever is given, else `none`, unless said.",
    },
    user: { ...user, type: ["string", "null"], description: "With binding `user`: its id." },
    email: { ...entry.email, description: "With binding `email`." },
    roles,
    teams: { ...ids, description: "Ids of teams of the organization." },
    max_uses: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 10_000,
      description: "With binding `none`; 1 unless given.",
    },
    send: { type: "boolean", description: "With binding `email`: mails the link, too." },
    expires_in: {
      type: ["string", "null"],
      pattern: "^[0-9]{1,12}(ms|s|m|h|d)$",
      description: "A duration of at most `30d`; `7d` unless given.",
    },
  };
  const invited = {
    id,
    name: { type: "string" },
    slug: { type: "string" },
    require_mfa: { type: "boolean" },
  };
  return {
    invitations: addPage(
      pool,
      "OrganizationInvitationPage",
      pool.add("OrganizationInvitation", closed(entry)),
    ),
    newInvitation: pool.add("NewOrganizationInvitation", closed(asked, [])),
    madeInvitation: pool.add("MadeOrganizationInvitation", closed({ ...entry, token, link })),
    link: pool.add("InvitationLink", closed({ id, token, link })),
    token: pool.add("InvitationToken", closed({ token: { type: "string" } })),
    preview: pool.add(
      "InvitationPreview",
      closed({
        org: pool.add("InvitingOrganization", closed(invited)),
        roles,
        teams: { ...ids, description: "Ids." },
      }),
    ),
  };
}

function administeredSchemas(
  pool: SchemaPool,
  members: JsonObject,
  made: JsonObject,
  claims: Ref,
): AdministeredSchemas {
  const organization = pool.add(
    "AdministeredOrganization",
    closed({
      ...members,
      status: { type: "string", enum: ["active", "orphaned", "deleted"] },
      member_count: { type: "integer", minimum: 0 },
    }),
  );
  const owned = closed({
    database: { type: "string" },
    collection: { type: "string" },
    count: { type: "integer", minimum: 0, description: "Documents, deleted ones too." },
    policy: {
      type: "string",
      enum: ["delete", "keep"],
      description: "What becomes of them when the organization is deleted.",
    },
  });
  return {
    organization,
    organizations: addPage(pool, "AdministeredOrganizationPage", organization),
    newOrganization: pool.add("NewOrganizationFor", closed({ ...made, owner: user }, ["name", "owner"])),
    reactivation: pool.add(
      "Reactivation",
      closed({ slug: { ...slug, description: "The one that it had unless given." } }, []),
    ),
    owned: pool.add("OwnedDocuments", closed({ items: { type: "array", items: owned } })),
    claims,
    manager: pool.add("Manager", closed({ user })),
  };
}
