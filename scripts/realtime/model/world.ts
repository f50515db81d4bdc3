/**
 * Who may read what of the realm `live`, in the words of the specification: plain values, and nothing of the server's code.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";

export const followed = [
  "posts",
  "tasks",
  "ledgers",
  "reviews",
  "drafts",
  "plans",
  "flags",
  "shows",
] as const;
export type CollectionName = (typeof followed)[number] | "beats" | "blobs";

/** With soft delete. */
export const trashed: readonly CollectionName[] = ["posts", "ledgers"];
/** With organizations, and teams. */
export const owned: readonly CollectionName[] = ["tasks", "ledgers", "reviews", "drafts", "plans"];
export const inTeams: readonly CollectionName[] = ["tasks", "reviews", "drafts"];
/** With ids that clients choose. */
export const named: readonly CollectionName[] = ["flags", "beats", "blobs"];

/** What decides about access at a moment; never changed in place. */
export interface Access {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether the configuration is the one in which critics read all posts. */
  readonly critical: boolean;
  readonly ring: number;
  /** Realm roles by user. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly orgs: Readonly<Record<string, Org>>;
}

export interface Org {
  readonly deleted: boolean;
  readonly requireMfa: boolean;
  readonly plan: string | undefined;
  /** Ids. */
  readonly teams: readonly string[];
  /** By user. */
  readonly members: Readonly<Record<string, Member>>;
}

export interface Member {
  readonly roles: readonly string[];
  readonly teams: readonly string[];
  readonly teamRoles: readonly TeamRole[];
}

export interface TeamRole {
  readonly team: string;
  readonly role: string;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

export type Caller =
  | { readonly kind: "anonymous" }
  /** @property mfa whether the session used a second factor */
  | { readonly kind: "session"; readonly user: string; readonly mfa: boolean }
  | { readonly kind: "key"; readonly scopes: readonly string[] | undefined }
  /** A key that acts for a user. */
  | { readonly kind: "delegate"; readonly user: string };

/** A document as a caller is shown it; undefined: they may not read it. */
export function viewOf(
  access: Access,
  caller: Caller,
  collection: CollectionName,
  full: JsonObject,
): JsonObject | undefined {
  const org = metaOf(full, "org");
  if (org !== undefined && access.orgs[org]?.deleted === true) return undefined;
  if (caller.kind === "key") {
    const { scopes } = caller;
    return scopes === undefined || scopes.some((each) => each === "main" || each === `main/${collection}`)
      ? full
      : undefined;
  }
  const asking = askingOf(access, caller);
  if (!reads(access, asking, collection, full)) return undefined;
  return without(full, hidden(asking, collection, full));
}

/** What rules know of a caller. */
interface Asking {
  readonly user: string | undefined;
  readonly roles: readonly string[];
  /** Undefined where the caller does not count as a member. */
  member(org: string | undefined): { readonly org: Org; readonly member: Member } | undefined;
}

function askingOf({ roles, orgs }: Access, caller: Exclude<Caller, { kind: "key" }>): Asking {
  if (caller.kind === "anonymous") return { user: undefined, roles: [], member: () => undefined };
  const { user } = caller;
  const mfa = caller.kind === "session" && caller.mfa;
  return {
    user,
    roles: roles[user] ?? [],
    member(id) {
      const org = orgs[id ?? ""];
      const member = org?.members[user];
      if (org === undefined || member === undefined || org.deleted) return undefined;
      return org.requireMfa && !mfa ? undefined : { org, member };
    },
  };
}

function reads(access: Access, asking: Asking, collection: CollectionName, full: JsonObject): boolean {
  const org = metaOf(full, "org");
  const team = metaOf(full, "team");
  const isOwn = asking.user !== undefined && metaOf(full, "owner") === asking.user;
  switch (collection) {
    case "beats":
    case "blobs":
      return true;
    case "posts":
      return (
        full["status"] === "published" ||
        isOwn ||
        asking.roles.includes("editor") ||
        (access.critical && asking.roles.includes("critic"))
      );
    case "tasks":
      return asking.member(org) !== undefined;
    case "ledgers":
      return asking.member(org)?.member.roles.some((role) => role === "owner" || role === "clerk") === true;
    case "drafts":
      return team !== undefined && asking.member(org)?.member.teams.includes(team) === true;
    case "reviews":
      return isOwn || holdsRole(access, asking, org, team);
    case "plans":
      return asking.member(org)?.org.plan === "pro";
    case "flags":
      return typeof full["ring"] === "number" && full["ring"] <= access.ring;
    case "shows":
      return typeof full["starts_at"] === "string" && Date.parse(full["starts_at"]) <= access.now;
  }
}

function holdsRole({ now }: Access, asking: Asking, org: string | undefined, team: string | undefined) {
  return (
    asking
      .member(org)
      ?.member.teamRoles.some((held) => held.team === team && held.from <= now && now < held.until) === true
  );
}

/** Fields that are left out. */
function hidden(asking: Asking, collection: CollectionName, full: JsonObject): readonly string[] {
  if (collection === "tasks") {
    const roles = asking.member(metaOf(full, "org"))?.member.roles ?? [];
    return roles.includes("owner") ? [] : ["estimate"];
  }
  if (collection !== "posts") return [];
  const isOwn = asking.user !== undefined && metaOf(full, "owner") === asking.user;
  return [
    ...(asking.roles.includes("editor") ? [] : ["secret"]),
    ...(isOwn ? [] : ["note"]),
    ...(full["done"] === true ? [] : ["memo"]),
  ];
}

function without(full: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(full).filter(([name]) => !names.includes(name)));
}

export function metaOf(full: JsonObject, name: string): string | undefined {
  const value = metaValue(full, name);
  return typeof value === "string" ? value : undefined;
}

export function versionOf(full: JsonObject): number {
  const value = metaValue(full, "version");
  return typeof value === "number" ? value : 0;
}

function metaValue({ _meta: meta }: JsonObject, name: string): JsonValue | undefined {
  return isJsonObject(meta) ? meta[name] : undefined;
}
