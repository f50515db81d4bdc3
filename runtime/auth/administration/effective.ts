import { type Field, serverOwnedFields } from "../../filter/fields.ts";
import type { TextIndex } from "../../filter/search/text-index.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type {
  AccountSettings,
  AggregateDefinition,
  CollectionDefinition,
  CustomId,
  EmailSettings,
  ExpandLimits,
  RealmDefinition,
  ReferenceDefinition,
  Role,
} from "../../realm/definition.ts";
import type { OrganizationSettings } from "../../realm/organizations.ts";
import type { FieldRule, ReadRule, WriteRule } from "../../realm/rule.ts";
import { allowed, denied } from "../../rules/constant.ts";
import type { IndexShape } from "../../store/contract/shape.ts";
import { printDuration, printRate } from "../../units.ts";

/**
 * A realm's configuration as it is in effect, in the terms of `realm.yaml` and `collection.yaml`, defaults filled in. Of a
 * rule it says whether it is `true`, `false` or an expression. `app_config` is left to whoever knows what it is now.
 */
export function effectiveRealm(definition: RealmDefinition): JsonObject {
  const { name, accounts, origins, adminNetworks, openapi } = definition;
  return {
    name,
    auth: accounts === undefined ? "disabled" : "enabled",
    ...(accounts === undefined ? {} : accountSettings(accounts)),
    cors: { origins },
    admin: {
      allowed_networks: adminNetworks ?? null,
      ...(accounts !== undefined && {
        read_access: {
          users: accounts.readAccess.includes("users"),
          data: accounts.readAccess.includes("data"),
        },
      }),
    },
    openapi: openapi?.access ?? "off",
  };
}

function accountSettings(accounts: AccountSettings): JsonObject {
  const { signup, signupLimit, roles, defaultRoles, validateProfile, cookie, email, organizations } =
    accounts;
  return {
    signup,
    signup_limit: {
      address: printRate(signupLimit.address),
      network: printRate(signupLimit.network),
    },
    roles: Object.fromEntries(roles.map((role) => [role.name, roleSettings(role)])),
    default_roles: defaultRoles,
    /** Whether profiles have a schema. */
    profile: validateProfile !== undefined,
    sessions: {
      lifetime: printDuration(accounts.sessionLifetime),
      idle_timeout: printDuration(accounts.sessionIdleTimeout),
      cookie: cookie === undefined ? { enabled: false } : { enabled: true, same_site: cookie.sameSite },
      admin_idle_timeout: printDuration(accounts.adminIdleTimeout),
      admin_max_lifetime: printDuration(accounts.adminMaxLifetime),
    },
    mfa: { totp: accounts.totp === true },
    email: email === undefined ? null : emailSettings(email),
    organizations: organizations === undefined ? null : organizationSettings(organizations),
  };
}

function roleSettings({ admin }: Role): JsonObject {
  return admin === undefined ? {} : { admin };
}

function emailSettings({ from, resetLink, verifyLink }: EmailSettings): JsonObject {
  return { from, reset_link: resetLink ?? null, verify_link: verifyLink ?? null };
}

function organizationSettings(settings: OrganizationSettings): JsonObject {
  const { create, roles, creatorRoles, defaultRoles, teamRoles } = settings;
  return {
    create: create === undefined ? false : create === allowed.check ? true : "expression",
    roles: Object.fromEntries(roles.map(({ name, manage }) => [name, { manage }])),
    creator_roles: creatorRoles,
    default_roles: defaultRoles,
    team_roles: Object.fromEntries(teamRoles.map(({ name, grants }) => [name, { grants }])),
    max_created_per_user: settings.maxCreatedPerUser ?? null,
    members_visible_to: settings.membersVisibleTo,
    allow_require_mfa: settings.allowRequireMfa,
    invitation_link: settings.invitationLink ?? null,
    max_teams_per_org: settings.maxTeamsPerOrg,
    max_teams_per_member: settings.maxTeamsPerMember,
    max_pending_invitations: settings.maxPendingInvitations,
  };
}

/** By database and collection. `limits` are the instance's, which collections may lower. */
export function effectiveDatabases({ collections }: RealmDefinition, limits: ExpandLimits): JsonObject {
  const databases = new Map<string, [string, JsonObject][]>();
  for (const collection of collections) {
    const entry: [string, JsonObject] = [collection.name, effectiveCollection(collection, limits)];
    databases.set(collection.database, [...(databases.get(collection.database) ?? []), entry]);
  }
  return Object.fromEntries([...databases].map(([name, entries]) => [name, Object.fromEntries(entries)]));
}

function effectiveCollection(definition: CollectionDefinition, limits: ExpandLimits): JsonObject {
  const { fields, indexes, text, references = {}, aggregate, expand, publicMaxAge, softDelete } = definition;
  const { maxDepth, maxPaths, maxArray, maxDocs } = { ...limits, ...expand };
  return {
    schema: Object.fromEntries(
      Object.values(fields)
        .filter(({ path }) => !Object.hasOwn(serverOwnedFields, path))
        .map((field) => [field.path, fieldSettings(field)]),
    ),
    indexes: indexes.map(indexSettings),
    text: text === undefined ? null : textSettings(text),
    ...(definition.rules === undefined ? {} : { rules: ruleSettings(definition.rules) }),
    fields: Object.fromEntries(
      (definition.fieldRules ?? []).map((rule) => [rule.path.join("."), fieldRule(rule)]),
    ),
    references: Object.fromEntries(
      Object.entries(references).map(([name, reference]) => [name, referenceSettings(reference, maxArray)]),
    ),
    aggregate: aggregate === undefined ? null : aggregateSettings(aggregate),
    cache: publicMaxAge === undefined ? { public: false } : { public: true, max_age: publicMaxAge },
    soft_delete: softDelete === undefined ? false : { retention: retention(softDelete.retention) },
    custom_id: definition.customId === undefined ? false : customId(definition.customId),
    ...organizationOf(definition),
    expand: { max_depth: maxDepth, max_paths: maxPaths, max_array: maxArray, max_docs: maxDocs },
  };
}

function fieldSettings({ kinds, nullable, arrays, segments }: Field): JsonObject {
  const inArrays = arrays.flatMap((holds, at) => (holds ? [segments.slice(0, at + 1).join(".")] : []));
  return {
    types: nullable ? [...kinds, "null"] : kinds,
    ...(inArrays.length > 0 && { arrays: inArrays }),
  };
}

function indexSettings({ name, keys, unique }: IndexShape): JsonObject {
  const fields = keys.map(({ field, descending }) => (descending ? `-${field.path}` : field.path));
  return { name, fields, unique };
}

function textSettings({ fields, defaultLanguage, languageField }: TextIndex): JsonObject {
  return {
    fields: Object.fromEntries(fields.map(({ field, weight }) => [field.path, weight])),
    default_language: defaultLanguage,
    language_field: languageField?.path ?? null,
  };
}

const operations = ["create", "read", "update", "delete", "restore", "purge"] as const;

function ruleSettings(rules: NonNullable<CollectionDefinition["rules"]>): JsonObject {
  return Object.fromEntries(operations.map((operation) => [operation, ruleText(rules[operation] ?? denied)]));
}

function ruleText(rule: ReadRule | WriteRule | FieldRule["read"]): JsonValue {
  if (rule === undefined || rule === allowed) return true;
  return rule === denied ? false : "expression";
}

function fieldRule({ read, write }: FieldRule): JsonObject {
  return { read: ruleText(read), write: ruleText(write) };
}

function referenceSettings(reference: ReferenceDefinition, maxArray: number): JsonObject {
  const { database, collection, field, key, many, maxExpand = maxArray } = reference;
  return { database, collection, field: field.path, key, many, ...(many && { max_expand: maxExpand }) };
}

function aggregateSettings({ groupBy, metrics }: AggregateDefinition): JsonObject {
  return {
    group_by: groupBy.map(({ path }) => path),
    metrics: Object.fromEntries(metrics.map(({ field, functions }) => [field.path, functions])),
  };
}

/** Nothing where documents belong to no organization. */
function organizationOf({ organization }: CollectionDefinition): JsonObject {
  if (organization === undefined) return {};
  const { required, teams, onDelete } = organization;
  return {
    organization: required ? "required" : "optional",
    teams: teams ?? null,
    on_org_delete: onDelete,
  };
}

function retention(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : printDuration(milliseconds);
}

function customId({ is, pattern, duplicateLimit }: CustomId): JsonObject {
  return {
    ...(is !== undefined && { is }),
    pattern: pattern?.source ?? null,
    duplicate_limit: duplicateLimit,
  };
}
