import { walk } from "../auth/matching.ts";
import type { Read } from "../auth/records.ts";
import { eq, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import { Generations, kept } from "../kept.ts";
import type { Assurance } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { type Membership, type Memberships, noMemberships } from "../realm/memberships.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { collections, memberFields } from "./collections.ts";
import { marksOf, type Version } from "./marks.ts";
import {
  type MemberRecord,
  type OrganizationRecord,
  readMember,
  readOrganization,
  type TeamRoleRecord,
} from "./records.ts";
import { effectiveRoles } from "./roles.ts";

/** Memberships read at once: with their organizations these are two queries. */
const page = 1_000;

/** Weighed by the characters of the records that they were made from. */
const bounds = { values: 10_000, weight: 16_777_216 };

/** What was made of a user's memberships, for a span of time. */
interface Resolved {
  readonly by: Readonly<Record<Assurance, Memberships>>;
  /** Epoch milliseconds: at these the time window of a team role may open or close. */
  readonly from: number;
  readonly until: number;
}

interface Kept extends Resolved {
  /** What was read along with the request before which these were; undefined: they stand as long as the revisions do. */
  readonly marks: string | undefined;
}

/** What the store said of the members and of the organizations. */
interface Revisions {
  readonly members: number | undefined;
  readonly organizations: number | undefined;
}

/**
 * The organizations that count for users (spec: Organization endpoints 6, 7). They are kept exactly as long as nothing
 * changes in any organization, nor the time window of a team role opens or closes; where the store is shared, as long as
 * marks that are read with every request say the same. Without marks two queries are asked there.
 */
export class LiveMemberships {
  readonly #realm: Pick<RealmInstance, "store" | "clock">;
  readonly #settings: OrganizationSettings;
  readonly #kept = new Generations<string, Kept>(bounds);
  #revisions: Revisions = { members: undefined, organizations: undefined };

  constructor(realm: Pick<RealmInstance, "store" | "clock">, settings: OrganizationSettings) {
    this.#realm = realm;
    this.#settings = settings;
  }

  /**
   * At once where nothing can have changed.
   * @param marks of the user's organizations, where they were read just now (see `Marks`)
   */
  of(user: string, assurance: Assurance, marks?: string): Memberships | Promise<Memberships> {
    const now = this.#realm.clock.now();
    const known = this.#peek(user, now, marks);
    if (known !== undefined) return known.by[assurance];
    return this.#load(user, now, marks).then(({ by }) => by[assurance]);
  }

  #peek(user: string, now: number, marks: string | undefined): Resolved | undefined {
    if (marks === undefined && !this.#stand()) return undefined;
    const known = this.#kept.get(user);
    if (known?.marks !== marks) return undefined;
    return known !== undefined && now >= known.from && now < known.until ? known : undefined;
  }

  /** Whether what is kept stands by what the store says; forgets it where it does not. */
  #stand(): boolean {
    const revisions = this.#current();
    if (same(revisions, this.#revisions)) return true;
    if (revisions.members === undefined) return false;
    this.#revisions = revisions;
    this.#kept.clear();
    return false;
  }

  async #load(user: string, now: number, marks: string | undefined): Promise<Resolved> {
    // Read before the records, as the marks were: a change in between leaves what is already out of date, never what is
    // wrong.
    const revisions = this.#current();
    const versions: Versions = { members: [], organizations: [] };
    const read = await membershipRecords(this.#realm, user, versions);
    const resolved = resolve(this.#settings, read, now);
    const isMarked = marks !== undefined && marks === marksOf(versions.members, versions.organizations);
    if (isMarked || (marks === undefined && same(revisions, this.#revisions))) {
      const weight = read.reduce((sum, { characters }) => sum + characters, 0);
      this.#kept.set(user, { ...resolved, marks }, weight);
    }
    return resolved;
  }

  #current(): Revisions {
    const { store } = this.#realm;
    return {
      members: store.revision(collections.members),
      organizations: store.revision(collections.organizations),
    };
  }
}

/** Never where the store knows none. */
function same(one: Revisions, other: Revisions): boolean {
  return (
    one.members !== undefined &&
    one.members === other.members &&
    one.organizations !== undefined &&
    one.organizations === other.organizations
  );
}

export interface MembershipRecords {
  readonly org: Read<OrganizationRecord>;
  readonly member: Read<MemberRecord>;
  /** Of the JSON of both. */
  readonly characters: number;
}

/** What is read of memberships, deleted organizations too. */
interface Versions {
  readonly members: Version[];
  readonly organizations: Version[];
}

/**
 * All that a user is a member of; deleted organizations are left out. Two queries for each thousand.
 * @param versions takes those of all that was read
 */
export async function membershipRecords(
  { store }: Pick<RealmInstance, "store">,
  user: string,
  versions?: Versions,
): Promise<readonly MembershipRecords[]> {
  const found: MembershipRecords[] = [];
  const walked = walk(store, {
    collection: collections.members,
    filter: eq(memberFields.user, user),
    order: [{ field: memberFields.org, descending: false }],
    read: (document) => ({ member: readMember(document), characters: document.text.length }),
    position: ({ member }) => [member.record.org],
    page,
  });
  for await (const members of walked) {
    const ids = members.map(({ member }) => member.record.org);
    const documents = await store
      .collection(collections.organizations)
      .find({ filter: isIn(documentFields.id, ids), visibility: "live", limit: page, skip: 0 });
    const byId = new Map(documents.map((document) => [document.id, document] as const));
    versions?.members.push(...members.map(({ member: { record, version } }) => ({ id: record.id, version })));
    versions?.organizations.push(...documents);
    for (const { member, characters } of members) {
      const document = byId.get(member.record.org);
      if (document === undefined) continue;
      const org = readOrganization(document);
      if (org.record.status === "deleted") continue;
      found.push({ org, member, characters: characters + document.text.length });
    }
  }
  return found;
}

function resolve(settings: OrganizationSettings, read: readonly MembershipRecords[], now: number): Resolved {
  const all: Membership[] = [];
  const open: Membership[] = [];
  const openToKeys: Membership[] = [];
  let from = Number.NEGATIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  for (const { org, member } of read) {
    const membership = membershipOf(settings, org.record, member.record, now);
    all.push(membership);
    const { require_mfa, allow_keys } = org.record;
    if (!require_mfa) open.push(membership);
    if (!require_mfa || allow_keys === true) openToKeys.push(membership);
    for (const boundary of member.record.team_roles.flatMap(boundaries)) {
      if (boundary > now) until = Math.min(until, boundary);
      else from = Math.max(from, boundary);
    }
  }
  const factor = byOrganization(all);
  const some = (memberships: readonly Membership[]) =>
    memberships.length === all.length ? factor : byOrganization(memberships);
  return { by: { factor, key: some(openToKeys), none: some(open) }, from, until };
}

function byOrganization(memberships: readonly Membership[]): Memberships {
  if (memberships.length === 0) return noMemberships;
  return new Map(memberships.map((membership) => [membership.org, membership] as const));
}

function boundaries({ from, until }: TeamRoleRecord): readonly number[] {
  return [from, until].flatMap((boundary) => (boundary === null ? [] : [Date.parse(boundary)]));
}

function membershipOf(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  member: MemberRecord,
  now: number,
): Membership {
  return {
    org: org.id,
    roles: new Set(effectiveRoles(settings, org, member).map(({ role }) => role)),
    teams: new Set(member.teams.filter((id) => hasTeam(org, id))),
    teamRoles: heldTeamRoles(settings, org, member, now),
    claims: org.claims,
  };
}

/**
 * The team roles that a member holds at a time, by team: those whose window is open. Roles that the configuration no
 * longer has, and those in teams that the organization no longer has, are held by nobody.
 */
export function heldTeamRoles(
  { teamRoles }: Pick<OrganizationSettings, "teamRoles">,
  org: Pick<OrganizationRecord, "teams">,
  { team_roles }: Pick<MemberRecord, "team_roles">,
  now: number,
): ReadonlyMap<string, ReadonlySet<string>> {
  const held = new Map<string, Set<string>>();
  for (const { team, role, from, until } of team_roles) {
    const isOpen = (from === null || Date.parse(from) <= now) && (until === null || now < Date.parse(until));
    if (!isOpen || !hasTeam(org, team) || !teamRoles.some(({ name }) => name === role)) continue;
    kept(held, team, () => new Set<string>()).add(role);
  }
  return held;
}

function hasTeam({ teams }: Pick<OrganizationRecord, "teams">, id: string): boolean {
  return teams.some((team) => team.id === id);
}
