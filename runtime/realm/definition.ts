import type { Detail } from "../errors.ts";
import type { Field, FieldTable } from "../filter/fields.ts";
import type { TextIndex } from "../filter/search/text-index.ts";
import type { JsonObject } from "../json.ts";
import type { IndexShape } from "../store/contract/shape.ts";
import type { Rate } from "../units.ts";
import type { AdminGrant, ReadAccess } from "./administration.ts";
import type { TokenScopes } from "./caller.ts";
import type { FileField, StorageDefinition } from "./files.ts";
import type { FunctionDefinition, FunctionLimits } from "./functions.ts";
import type { MigrationDefinition, MigrationMode } from "./migrations.ts";
import type { OrganizationSettings } from "./organizations.ts";
import type { FieldRule, Rules } from "./rule.ts";
import type { Seen } from "./seen.ts";
import type { Validator } from "./validator.ts";

/**
 * A collection as its emitted `routes.ts` defines it: plain data and functions, every optional feature present only
 * where the configuration asks for it. `Document` and `Data` are what its `types.ts` says of documents and of what is
 * written into them; without them, it is some collection.
 */
export type CollectionDefinition<Document = never, Data = never> = DefinitionOf<Seen<Document>, Seen<Data>>;

/** By what its rules see. */
interface DefinitionOf<Document, Data> {
  readonly realm: string;
  readonly database: string;
  readonly name: string;
  readonly fields: FieldTable;
  readonly indexes: readonly IndexShape[];
  /** `text` of indexes.json. */
  readonly text?: TextIndex;
  /** By name. */
  readonly references?: Readonly<Record<string, ReferenceDefinition>>;
  /** Lower limits than the instance's. */
  readonly expand?: Partial<ExpandLimits>;
  readonly aggregate?: AggregateDefinition;
  readonly validate: Validator;
  /** A document as it is created, or the whole that replaces one, with the defaults of what it leaves out. */
  readonly withDefaults?: (document: JsonObject) => JsonObject;
  /**
   * Normalises the `x-svc-store: date` fields of a valid document in place; answers what is not a date.
   * Present where the schema has such fields.
   */
  readonly normalizeDates?: (document: JsonObject) => readonly Detail[];
  /** Present in realms with authentication; there, an absent rule denies. */
  readonly rules?: Rules<Document, Data>;
  readonly fieldRules?: readonly FieldRule<Document, Data>[];
  readonly softDelete?: SoftDelete;
  readonly customId?: CustomId;
  /** `cache.public`: seconds. */
  readonly publicMaxAge?: number;
  /** Clients may follow its changes. */
  readonly realtime?: true;
  /** `organization`, `teams` and `on_org_delete`; absent: documents belong to no organization. */
  readonly organization?: CollectionOrganization;
  /** Files that documents have; they stand in `fields` too. */
  readonly files?: readonly FileField[];
  /** Its rules, or those of its fields, ask what the caller is in organizations and teams. */
  readonly asksMemberships?: true;
  /** In the order of their numbers; present where there are any. */
  readonly migrations?: readonly MigrationDefinition[];
}

export function storeNameOf({ database, name }: Pick<CollectionDefinition, "database" | "name">): string {
  return `${database}.${name}`;
}

export interface CollectionOrganization {
  /** Every document belongs to one. */
  readonly required: boolean;
  /** Absent: documents belong to no team. */
  readonly teams?: "optional" | "required";
  /** What becomes of an organization's documents when it is deleted. */
  readonly onDelete: "delete" | "keep";
}

/** spec: Configuration, References. The target lies in the same realm. */
export interface ReferenceDefinition {
  readonly database: string;
  readonly collection: string;
  /** Of this collection: holds the value, or with `many` the array of values. */
  readonly field: Field;
  /** Path of the target's field that equals the value: `id`, or one with a unique index of its own. */
  readonly key: string;
  readonly many: boolean;
  /** Ids of the array to follow, where that is less than the instance's limit. */
  readonly maxExpand?: number;
}

/** Limits of reference expansion (spec: Limits); of the instance, lowered by the collection that is read. */
export interface ExpandLimits {
  /** Levels: 1 or 2. */
  readonly maxDepth: number;
  /** Entries per request. */
  readonly maxPaths: number;
  /** Ids of a `many` reference. */
  readonly maxArray: number;
  /** Expanded documents per answer, counted as they occur in it. */
  readonly maxDocs: number;
}

/** Limits of realtime streams (spec: Limits); of the instance, lowered by the realm. */
export interface RealtimeLimits {
  /** Of one stream. */
  readonly maxSubscriptions: number;
  /** Open at a time. */
  readonly maxStreamsPerCaller: number;
  /** Open at a time. */
  readonly maxStreams: number;
  /** Streams that a caller may open in a second; may be a fraction. */
  readonly streamsPerSecond: number;
  /** Of events that a stream has not taken yet. */
  readonly bufferBytes: number;
  /** That a stream has not taken yet. */
  readonly bufferEvents: number;
}

/** Realtime streams as the instance has them. */
export interface RealtimeSettings {
  readonly enabled: boolean;
  readonly limits: RealtimeLimits;
  /** Bytes of the buffers of all streams. */
  readonly memory: number;
}

/** `aggregate` of the collection settings: what may be grouped by and measured; documents may always be counted. */
export interface AggregateDefinition {
  readonly groupBy: readonly Field[];
  readonly metrics: readonly { readonly field: Field; readonly functions: readonly AggregateFunction[] }[];
}

export type AggregateFunction = "sum" | "avg" | "min" | "max" | "distinct";

export interface SoftDelete {
  /** Milliseconds until a deleted document is purged; absent: never. */
  readonly retention?: number;
}

export interface CustomId {
  /** `user`: only the creating user's own id. */
  readonly is?: "user";
  readonly pattern?: RegExp;
  /** `id_taken` answers a caller may get in a minute. */
  readonly duplicateLimit: number;
}

/** A realm as its emitted `realm.ts` defines it. */
export interface RealmDefinition {
  readonly name: string;
  /** Absent in realms with `auth: disabled`. */
  readonly accounts?: AccountSettings;
  /** `cors.origins`. */
  readonly origins: readonly string[];
  /** `app_config`, until administrators replace it. */
  readonly appConfig: JsonObject;
  /** Some rule reads `appConfig`; absent: none does, and requests never look for a replacement. */
  readonly readsAppConfig?: true;
  /** `admin.allowed_networks`: CIDR form, or addresses; absent: administration from everywhere. */
  readonly adminNetworks?: readonly string[];
  /** What `_openapi.json` shows to whom; absent with `openapi: off`. */
  readonly openapi?: { readonly access: "public" | "users"; readonly document: JsonObject };
  /** Lower limits than the instance's. */
  readonly realtime?: Partial<RealtimeLimits>;
  readonly collections: readonly CollectionDefinition[];
  /** Present where the realm has any. */
  readonly functions?: readonly FunctionDefinition[];
  readonly functionLimits?: FunctionLimits;
  /** Present where the realm stores files. */
  readonly storage?: StorageDefinition;
  /** Present where any collection has migrations. */
  readonly migrations?: MigrationMode;
  /** What administrators read of all of it. */
  readonly effective: EffectiveConfiguration;
}

/**
 * A realm's configuration as it is in effect, in the terms of `realm.yaml` and `collection.yaml`, defaults filled in: its
 * emitted `effective.json`. `app_config` is left to whoever knows what it is now.
 */
export interface EffectiveConfiguration {
  readonly realm: JsonObject;
  /** By database and collection. Where limits of expansion are not lowered, the instance's are in effect. */
  readonly databases: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  /** By `<database>/<function>`; present where the realm has any. */
  readonly functions?: Readonly<Record<string, JsonObject>>;
}

export interface AccountSettings {
  /** `invite`: with an invitation to the realm only. */
  readonly signup: "open" | "invite" | "closed";
  /** How many sign-ups are taken from one address, and from one network. */
  readonly signupLimit: { readonly address: Rate; readonly network: Rate };
  readonly roles: readonly Role[];
  /** Given at sign-up. */
  readonly defaultRoles: readonly string[];
  /** The users' profile schema; absent: any object. */
  readonly validateProfile?: Validator;
  /** Milliseconds, as all times here. */
  readonly sessionLifetime: number;
  readonly sessionIdleTimeout: number;
  /** A session's administration ends when it was not used for this long. */
  readonly adminIdleTimeout: number;
  /** A session's administration ends this long after its login. */
  readonly adminMaxLifetime: number;
  /** `admin.read_access`: what `admin: read` covers beside the areas that it always does. */
  readonly readAccess: readonly ReadAccess[];
  /** `sessions.cookie`, where enabled. */
  readonly cookie?: { readonly sameSite: "strict" | "lax" | "none" };
  readonly email?: EmailSettings;
  /** `mfa.totp`: users may enrol a second factor. */
  readonly totp?: boolean;
  /** Absent: nobody but operators has keys. */
  readonly tokens?: TokenSettings;
  readonly organizations?: OrganizationSettings;
}

/** `tokens` of realm.yaml: keys that users make, for themselves or for their organizations. */
export interface TokenSettings {
  /** Users may make personal tokens, and those that there are count. */
  readonly personal: boolean;
  /** Milliseconds that a personal token or an organization's key lives at most; what one made without an end gets. */
  readonly maxLifetime: number;
  /** What personal tokens may do at most; absent: all that their users may. */
  readonly scopes?: TokenScopes;
}

/** A realm role. */
export interface Role {
  readonly name: string;
  readonly admin?: AdminGrant;
}

/** `email` of realm.yaml. `{token}` in a link stands for the token. */
export interface EmailSettings {
  /** An address, or `Name <address>`. */
  readonly from: string;
  readonly resetLink?: string;
  readonly verifyLink?: string;
}
