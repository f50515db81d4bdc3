import { collections as accountCollections, auditFields } from "../../auth/collections.ts";
import { type AuditRecord, readAudit } from "../../auth/records.ts";
import {
  type AccountsOptions,
  day,
  type Person,
  type Received,
  startAccounts,
} from "../../auth/testing/accounts.ts";
import { type Factor, secondFactor } from "../../auth/testing/factor.ts";
import { timestamp } from "../../clock.ts";
import { eq, TRUE } from "../../filter/algebra.ts";
import { someAccounts } from "../../http/testing/server.ts";
import { idGenerator } from "../../ids.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import {
  type AccountSettings,
  type CollectionDefinition,
  type RealmDefinition,
  storeNameOf,
} from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { OrganizationSettings } from "../../realm/organizations.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { changeOrganization, findOrganization } from "../change.ts";
import { collections } from "../collections.ts";
import {
  type MemberRecord,
  memberId,
  type OrganizationRecord,
  type TeamRoleRecord,
  writeMember,
  writeOrganization,
} from "../records.ts";
import { findMember } from "../route.ts";
import { organizationKeyRoutes, organizationRoutes } from "../routes.ts";

/** Everything that tests of organizations need of their settings. */
export const organizationSettings: OrganizationSettings = {
  create: ({ user }) => user !== undefined,
  roles: [
    { name: "owner", manage: ["org", "members", "roles", "teams"] },
    { name: "clerk", manage: ["members"] },
    { name: "keeper", manage: ["teams"] },
    { name: "member", manage: [] },
  ],
  creatorRoles: ["owner"],
  defaultRoles: ["member"],
  teamRoles: [
    { name: "lead", grants: ["reviewer"] },
    { name: "reviewer", grants: [] },
  ],
  membersVisibleTo: "members",
  membersShow: [],
  allowRequireMfa: true,
  keys: false,
  invitationsSignUp: true,
  invitationMail: { names: true },
  invitationLink: "https://app.example.com/join?token={token}",
  maxTeamsPerOrg: 50,
  maxTeamsPerMember: 20,
  maxPendingInvitations: 500,
};

/** A realm that has organizations, for tests that need no server. */
export function definitionOf(collections: readonly CollectionDefinition[] = []): RealmDefinition {
  const accounts = { ...someAccounts, organizations: organizationSettings };
  return {
    name: "shop",
    accounts,
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    collections,
  };
}

export interface OrganizationsOptions extends AccountsOptions {
  readonly accounts?: Partial<AccountSettings>;
}

/** What a new organization of a test is, beside its name. */
type Given = Partial<Pick<OrganizationRecord, "name" | "slug" | "require_mfa" | "claims" | "status">>;

/** What somebody joins with. */
interface Joining {
  readonly roles?: readonly string[];
  readonly teams?: readonly string[];
  readonly team_roles?: readonly TeamRoleRecord[];
}

/**
 * Makes organizations, members, teams and documents straight in a store, so that tests of one thing rest on nothing else,
 * and reads what is stored of them.
 */
export function organizationsIn(realm: Pick<RealmInstance, "store" | "clock">) {
  const { store, clock } = realm;
  const newId = idGenerator(clock);
  let organizationsMade = 0;

  function newOrganization({ id: created_by }: Pick<Person, "id">, given: Given): OrganizationRecord {
    organizationsMade += 1;
    const slug = given.slug ?? `org-${organizationsMade}`;
    return {
      id: newId(),
      name: slug,
      status: "active",
      require_mfa: false,
      claims: {},
      ...given,
      slug,
      slug_key: slug,
      teams: [],
      created_at: timestamp(clock.now()),
      created_by,
      deleted_at: null,
      cleanup: null,
    };
  }

  /** Many at once. */
  async function createOrgs(
    founder: Pick<Person, "id">,
    count: number,
    given: Given = {},
  ): Promise<readonly OrganizationRecord[]> {
    const orgs = Array.from({ length: count }, () => newOrganization(founder, given));
    const roles = organizationSettings.creatorRoles;
    const owners = orgs.map((org) => memberRecord(org.id, founder.id, { roles }, org.created_at));
    for (let at = 0; at < count; at += 200) {
      const some = <T>(all: readonly T[]) => all.slice(at, at + 200);
      await store.transaction(async (transaction) => {
        const organizations = transaction.collection(collections.organizations);
        await organizations.insertAll(some(orgs).map((org) => writeOrganization(org, 1)));
        const members = transaction.collection(collections.members);
        await members.insertAll(some(owners).map((owner) => writeMember(owner, 1)));
      });
    }
    return orgs;
  }

  return {
    createOrgs,
    /** An organization that somebody has created. */
    async createOrg(founder: Pick<Person, "id">, given: Given = {}): Promise<OrganizationRecord> {
      const [org] = await createOrgs(founder, 1, given);
      if (org === undefined) throw new Error("one was made");
      return org;
    },
    /** Makes somebody a member, or one with these roles and teams. */
    async join(
      { id }: Pick<OrganizationRecord, "id">,
      { id: user }: Pick<Person, "id">,
      joining: Joining = {},
    ): Promise<MemberRecord> {
      return changeOrganization(realm, id, async ({ record }) => {
        const before = await findMember(realm, id, user);
        const joinedAt = before?.record.created_at ?? timestamp(clock.now());
        const result = memberRecord(id, user, joining, joinedAt);
        return {
          org: record,
          result,
          async along(transaction) {
            const members = transaction.collection(collections.members);
            if (before === undefined) await members.insert(writeMember(result, 1));
            else await members.replace(before.version, writeMember(result, before.version + 1));
          },
        };
      });
    },
    /** A new team of an organization; answers its id. */
    createTeam(
      { id }: Pick<OrganizationRecord, "id">,
      name: string,
      roles: readonly string[] = [],
    ): Promise<string> {
      return changeOrganization(realm, id, async ({ record }) => {
        const team = { id: newId(), name, roles };
        return { org: { ...record, teams: [...record.teams, team] }, result: team.id };
      });
    },
    /** Changes the record of an organization, whatever becomes of it. */
    changeOrg(
      { id }: Pick<OrganizationRecord, "id">,
      change: (org: OrganizationRecord) => OrganizationRecord,
    ): Promise<OrganizationRecord> {
      return changeOrganization(realm, id, async ({ record }) => {
        const org = change(record);
        return { org, result: org };
      });
    },
    /** Documents of an organization, or of none; `deleted` ones are in the trash. */
    async fill(of: CollectionDefinition, org: string | undefined, live: number, deleted = 0): Promise<void> {
      const now = clock.now();
      const at = timestamp(now);
      const documents = Array.from({ length: live + deleted }, (_, n): DocumentWrite => {
        const id = newId();
        const trashed = n >= live ? { deleted_at: at, deleted_by: "user:ada" } : {};
        const _meta = { created_at: at, updated_at: at, version: 1, ...trashed, ...(org && { org }) };
        const times = { createdAt: now, ...(n >= live && { deletedAt: now }) };
        return { id, version: 1, text: JSON.stringify({ id, _meta }), ...times };
      });
      await store.collection(storeNameOf(of)).load(documents);
    },
    /** An organization as it is stored. */
    async org({ id }: Pick<OrganizationRecord, "id">): Promise<OrganizationRecord | undefined> {
      return (await findOrganization(realm, id))?.record;
    },
    /** A member as they are stored. */
    async member(
      { id }: Pick<OrganizationRecord, "id">,
      { id: user }: Pick<Person, "id">,
    ): Promise<MemberRecord | undefined> {
      return (await findMember(realm, id, user))?.record;
    },
  };
}

/**
 * Realms as `startAccounts` makes them, two of which have organizations; what is made straight in the store is made in
 * that of `shop`.
 */
export async function startOrganizations(
  settings: Partial<OrganizationSettings> = {},
  { accounts = {}, routes = () => ({}), ...options }: OrganizationsOptions = {},
) {
  const organizations = { ...organizationSettings, ...settings };
  const email = { from: "Shop <shop@example.com>" };
  const server = await startAccounts(
    { totp: true, email, ...accounts, organizations },
    {
      ...options,
      routes: (realm) => ({
        ...(realm !== "plain" && organizationRoutes(realm)),
        ...(realm !== "plain" && organizations.keys && organizationKeyRoutes(realm)),
        ...routes(realm),
      }),
    },
  );
  /** Recovery codes that were not used yet. */
  const codes = new Map<Factor, readonly string[]>();
  function people<Name extends string>(...names: readonly Name[]): Promise<Record<Name, Person>>;
  async function people(...names: readonly string[]): Promise<Record<string, Person>> {
    const made = names.map(async (name) => [name, await server.signup(`${name}@example.com`)] as const);
    return Object.fromEntries(await Promise.all(made));
  }

  /** The audit trail, oldest first: of one action, or all of it. */
  async function audit(action?: string): Promise<readonly AuditRecord[]> {
    const filter = action === undefined ? TRUE : eq(auditFields.action, action);
    const found = await server
      .store("shop")
      .collection(accountCollections.audit)
      .find({ filter, visibility: "live", limit: 10_000, skip: 0 });
    return found.map((document) => readAudit(document).record);
  }

  /** What the audit trail says of an organization. */
  async function auditOf(
    { id }: Pick<OrganizationRecord, "id">,
    action?: string,
  ): Promise<readonly AuditRecord[]> {
    return (await audit(action)).filter(({ target }) => target === `org:${id}`);
  }

  return {
    ...server,
    ...organizationsIn({ store: server.store("shop"), clock: server.clock }),
    settings: organizations,
    /** New accounts, by the part of their address before `@example.com`. */
    people,
    /** Gives somebody a second factor, which their session has used then. */
    strengthen: (person: Pick<Person, "id" | "token">): Promise<Factor> => secondFactor(server, person),
    /**
     * The header that carries a fresh proof of identity.
     * @param factor of who has a second one; each time takes a recovery code of it
     */
    async proof(person: Pick<Person, "token">, factor?: Factor): Promise<Readonly<Record<string, string>>> {
      if (factor === undefined) return { "x-svc-reauth": await server.reauth(person) };
      const left = codes.get(factor) ?? factor.recovery;
      codes.set(factor, left.slice(1));
      return { "x-svc-reauth": await server.reauth(person, "shop", { code: left[0] ?? "" }) };
    },
    audit,
    auditOf,
    /** Who did something in an organization, and what the audit trail tells of it. */
    async acts(org: Pick<OrganizationRecord, "id">, action: string): Promise<readonly unknown[]> {
      return (await auditOf(org, action)).map(({ actor, details }) => [actor, details]);
    },
  };
}

export type Organizations = Awaited<ReturnType<typeof startOrganizations>>;

/** An instant some days from when tests begin. */
export function inDays(server: Pick<Organizations, "clock">, days: number): string {
  return timestamp(server.clock.now() + days * day);
}

/** The entries of a list's answer. */
export function items({ body }: Pick<Received, "body">): readonly JsonObject[] {
  const { items: listed } = body;
  return Array.isArray(listed) ? listed.filter(isJsonObject) : [];
}

/** How a request ended: its status, and the code of an error. */
export function outcome({ status, body }: Received): readonly [number, unknown?] {
  const { error } = body;
  return isJsonObject(error) ? [status, error["code"]] : [status];
}

function memberRecord(org: string, user: string, joining: Joining, created_at: string): MemberRecord {
  const { roles = [], teams = [], team_roles = [] } = joining;
  return { id: memberId(org, user), org, user, roles, teams, team_roles, created_at };
}
