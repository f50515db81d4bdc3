import type { RealmDefinition } from "../realm/definition.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";

/**
 * What of a realm decides which routes it has and what they look like: part of the model of a configuration, and of a
 * realm as it runs.
 */
export interface RealmTraits {
  /** It has accounts. */
  readonly auth: boolean;
  readonly signup: "open" | "invite" | "closed";
  readonly totp: boolean;
  readonly email?: { readonly resetLink?: string; readonly verifyLink?: string };
  readonly sessions: { readonly cookie?: object };
  readonly roles: readonly RoleName[];
  readonly openapi: "public" | "users" | "off";
  readonly organizations?: OrganizationTraits;
}

export interface OrganizationTraits
  extends Pick<OrganizationSettings, "membersVisibleTo" | "allowRequireMfa" | "invitationLink"> {
  readonly roles: readonly RoleName[];
  readonly teamRoles: readonly RoleName[];
}

interface RoleName {
  readonly name: string;
}

/** The same in all realms, or made of what the realm is. */
export type Varying<T> = T | ((traits: RealmTraits) => T);

export function inRealm<T extends string | object>(varying: Varying<T>, traits: RealmTraits): T {
  return typeof varying === "function" ? varying(traits) : varying;
}

/** Parts of schemas that the realm's configuration decides: names of which one must be, with what is told of others. */
export const realmNames = {
  role: { of: ({ roles }: RealmTraits) => roles, reason: "is no role of this realm" },
  organizationRole: {
    of: ({ organizations }: RealmTraits) => organizations?.roles ?? [],
    reason: "is no role of organizations in this realm",
  },
  teamRole: {
    of: ({ organizations }: RealmTraits) => organizations?.teamRoles ?? [],
    reason: "is no team role of this realm",
  },
} as const satisfies Record<string, { of: (traits: RealmTraits) => readonly RoleName[]; reason: string }>;

/** Or the realm's schema of profiles, of one or of what is merged into one; or what scopes of keys may name. */
export type RealmPart = keyof typeof realmNames | "profile" | "profilePatch" | "scopes";

/** Of a realm as it runs. */
export function traitsOf({ accounts, openapi }: RealmDefinition): RealmTraits {
  const { cookie, email, organizations } = accounts ?? {};
  return {
    auth: accounts !== undefined,
    signup: accounts?.signup ?? "closed",
    totp: accounts?.totp === true,
    ...(email !== undefined && { email }),
    sessions: { ...(cookie !== undefined && { cookie }) },
    roles: accounts?.roles ?? [],
    openapi: openapi?.access ?? "off",
    ...(organizations !== undefined && { organizations }),
  };
}
