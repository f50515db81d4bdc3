import type { CollectionOrganization, RealmDefinition } from "../realm/definition.ts";
import type { FileField } from "../realm/files.ts";
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
  /** Users may make personal tokens. */
  readonly tokens: boolean;
  readonly email?: { readonly resetLink?: string; readonly verifyLink?: string };
  readonly sessions: { readonly cookie?: object };
  readonly roles: readonly RoleName[];
  readonly openapi: "public" | "users" | "off";
  readonly organizations?: OrganizationTraits;
  /** Those that a route is about: one, those of a database, or those that can be followed. */
  readonly collections?: readonly CollectionTraits[];
  /** Absent: none. */
  readonly functions?: readonly object[];
  /** Its documents can have files. */
  readonly storage?: { readonly driver: { readonly kind: "local" | "s3" } };
  /** That a route is about. */
  readonly fn?: FunctionTraits;
  /** The field that a route of files is about. */
  readonly file?: FileTraits;
}

/** The same of a field that holds files. */
export type FileTraits = Pick<
  FileField,
  "accept" | "maxSize" | "maxFiles" | "required" | "upload" | "versions"
>;

/** The same of a function that requests have run. */
export interface FunctionTraits {
  readonly mode: "webhook" | "call" | "event";
  /** Of calls. */
  readonly idempotency: "required" | "optional" | "none";
  /** Absent: the empty object alone. */
  readonly input?: object;
  readonly secrets: readonly string[];
}

/** The same of a collection. */
export interface CollectionTraits {
  readonly softDelete?: object;
  readonly customId?: { readonly is?: "user"; readonly duplicateLimit: number };
  readonly organization?: Pick<CollectionOrganization, "required" | "teams">;
  readonly text?: object;
  readonly aggregate?: object;
  readonly indexes: readonly { readonly unique: boolean }[];
  /** In a list or by name; absent: none. */
  readonly references?: object;
  /** Anyone may keep what anonymous readers are answered, on the way that the route is on. */
  readonly publicCache?: object;
  /** Its fields of files; absent: none. */
  readonly files?: readonly Pick<
    FileField,
    "name" | "accept" | "maxFiles" | "required" | "upload" | "versions"
  >[];
}

export interface OrganizationTraits
  extends Pick<
    OrganizationSettings,
    "membersVisibleTo" | "membersShow" | "allowRequireMfa" | "keys" | "invitationLink" | "invitationsSignUp"
  > {
  readonly roles: readonly RoleName[];
  readonly teamRoles: readonly RoleName[];
}

interface RoleName {
  readonly name: string;
}

/** The same in all realms, or made of what the realm is. */
export type Varying<T> = T | ((traits: RealmTraits) => T);

/** Of a route about one collection: made of what that is. */
export function ofCollection<T>(
  make: (collection: CollectionTraits, realm: RealmTraits) => T,
): (traits: RealmTraits) => T {
  return (traits) => {
    const [collection] = traits.collections ?? [];
    if (collection === undefined) throw new Error("a route of a collection is asked for without one");
    return make(collection, traits);
  };
}

/** Of a route about one function: made of what that is. */
export function ofFunction<T>(
  make: (fn: FunctionTraits, realm: RealmTraits) => T,
): (traits: RealmTraits) => T {
  return (traits) => {
    const { fn } = traits;
    if (fn === undefined) throw new Error("a route of a function is asked for without one");
    return make(fn, traits);
  };
}

/** Of a route about one field of files: made of what that is. */
export function ofFile<T>(make: (file: FileTraits, realm: RealmTraits) => T): (traits: RealmTraits) => T {
  return (traits) => {
    const { file } = traits;
    if (file === undefined) throw new Error("a route of a file field is asked for without one");
    return make(file, traits);
  };
}

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

/**
 * Or the realm's schema of profiles, of one, of what is merged into one or of what members see of one; or what scopes of
 * keys, or of personal tokens, may name.
 */
export type RealmPart =
  | keyof typeof realmNames
  | ("profile" | "profilePatch" | "memberProfile")
  | ("scopes" | "tokenScopes");

/** Of a realm as it runs. @param collections that a route is about */
export function traitsOf(
  { accounts, openapi, functions = [], storage }: RealmDefinition,
  collections: readonly CollectionTraits[] = [],
): RealmTraits {
  const { cookie, email, organizations } = accounts ?? {};
  return {
    auth: accounts !== undefined,
    signup: accounts?.signup ?? "closed",
    totp: accounts?.totp === true,
    tokens: accounts?.tokens?.personal === true,
    ...(email !== undefined && { email }),
    sessions: { ...(cookie !== undefined && { cookie }) },
    roles: accounts?.roles ?? [],
    openapi: openapi?.access ?? "off",
    ...(organizations !== undefined && { organizations }),
    collections,
    functions,
    ...(storage !== undefined && { storage }),
  };
}
