import { member } from "../../../runtime/contract/members.ts";
import { madeInvitation, newInvitation } from "../../../runtime/contract/organization-invitations.ts";
import {
  claims as claimsContract,
  made,
  memberRoles,
  organizationMembers,
  slug,
} from "../../../runtime/contract/organizations.ts";
import { closed as closedContract } from "../../../runtime/contract/schema.ts";
import type { Build } from "../build.ts";
import { addPage, closed } from "./common.ts";
import type { Ref } from "./pool.ts";

/** What administrators of organizations see and send. */
export interface AdministeredSchemas {
  readonly organization: Ref;
  readonly organizations: Ref;
  readonly newOrganization: Ref;
  readonly reactivation: Ref;
  readonly owned: Ref;
  readonly claims: Ref;
  /** `{user}`. */
  readonly manager: Ref;
  readonly member: Ref;
  readonly memberRoles: Ref;
  readonly newInvitation: Ref;
  readonly madeInvitation: Ref;
}

const user = { type: "string", description: "Id of a user." } as const;

export function administeredSchemas(build: Build): AdministeredSchemas {
  const { schemas: pool } = build;
  const organization = pool.add(
    "AdministeredOrganization",
    build.schema(
      closedContract({
        ...organizationMembers,
        status: { type: "string", enum: ["active", "orphaned", "deleted"] },
        member_count: { type: "integer", minimum: 0 },
      }),
    ),
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
    newOrganization: pool.add(
      "NewOrganizationFor",
      build.schema(closedContract({ ...made, owner: user }, ["name", "owner"])),
    ),
    reactivation: pool.add(
      "Reactivation",
      build.schema(
        closedContract({ slug: { ...slug, description: "The one that it had unless given." } }, []),
      ),
    ),
    owned: pool.add("OwnedDocuments", closed({ items: { type: "array", items: owned } })),
    claims: build.component(claimsContract),
    manager: pool.add("Manager", closed({ user })),
    member: build.component(member),
    memberRoles: build.component(memberRoles),
    newInvitation: build.component(newInvitation),
    madeInvitation: build.component(madeInvitation.schema),
  };
}
