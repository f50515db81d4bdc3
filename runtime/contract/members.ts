/** What several subjects of organizations share: members, roles, and what their routes answer. */

import { email, memberProfile } from "./people.ts";
import { closed, id, type Members, named, type PlainSchema, page, strings } from "./schema.ts";
import type { OrganizationTraits } from "./traits.ts";

export const organizationsTag = "organizations";

/** What organizations and teams are called. */
export const name = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  check: "name",
  description: "On one line; spaces around it are left out.",
} as const;

/** Roles of organizations, as members have them and teams carry them. */
export const organizationRoles = {
  type: "array",
  items: { type: "string", realm: "organizationRole" },
  told: strings.told,
} as const;

/** The member `effective_roles` of members. */
export const effectiveRoles = {
  type: "array",
  items: named("EffectiveRole", {
    ...closed({
      role: organizationRoles.items,
      origin: {
        type: "array",
        items: id,
        minItems: 1,
        description: "`direct`, `default`, and names of teams.",
      },
    }),
    client: "EffectiveRole",
  }),
  description: "Sorted by role.",
} as const;

/** A member as members see them, with what else there is to be shown. */
export function memberSchema(
  organizations: OrganizationTraits | undefined,
  further: Members = {},
): PlainSchema {
  const address = { ...email, type: ["string", "null"] } as const;
  const visible = organizations?.membersVisibleTo;
  const always: Members = {
    user: { ...id, description: "Id of the user, or of the key of a service member." },
    kind: { type: "string", enum: ["user", "service"], description: "`service`: a key of the organization." },
    roles: { ...organizationRoles, description: "Direct ones." },
    effective_roles: effectiveRoles,
    overlap: { ...organizationRoles, description: "Held both directly and through a team." },
    teams: { ...strings, description: "Ids." },
  };
  const properties: Members = {
    ...always,
    name: { ...id, description: "Of the key. Of service members." },
    ...(visible !== undefined &&
      visible !== "nobody" && {
        email: { ...address, description: `Of users.${visible === "managers" ? " Shown to managers." : ""}` },
      }),
    ...(organizations !== undefined && organizations.membersShow.length > 0 && { profile: memberProfile }),
    mfa: {
      type: "boolean",
      description: "Whether the account has a second factor. Of users; shown to managers.",
    },
    ...further,
  };
  return closed(properties, [...Object.keys(always), ...Object.keys(further)]);
}

export const member = named("Member", ({ organizations }) => memberSchema(organizations));
export const members = page("MemberPage", member);
