import { newToken, tokenHash } from "../../runtime/auth/credentials/tokens.ts";
import { timestamp } from "../../runtime/clock.ts";
import { and, eq, isIn } from "../../runtime/filter/algebra.ts";
import type { HeldClock } from "../../runtime/instance/testing/servers.ts";
import { jobCollection, jobFields } from "../../runtime/jobs/records.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { collections, memberFields } from "../../runtime/organizations/collections.ts";
import {
  memberId,
  type OrganizationRecord,
  writeOrganizationInvitation,
} from "../../runtime/organizations/records.ts";
import type { Store } from "../../runtime/store/contract/store.ts";
import { insertOrganization, type Membership } from "../people.ts";
import type { Operation } from "./description.ts";
import type { Plan } from "./requests.ts";

/** The organization that documents belong to, and its team. */
export const company = { org: "company", team: "night" } as const;

const teams = [{ id: company.team, name: "Night", roles: [] }];

/** Who is in the company; users come and go, and are members of it again when they are back. */
const staff: Readonly<Record<string, Membership>> = {
  user: { roles: ["manager"], teams: [company.team] },
  boss: { roles: ["agent"] },
  known: {},
};

/** Where documents are made. */
interface Place {
  readonly store: Store;
  readonly clock: HeldClock;
}

/** An organization made for one request, with all that a path or a body can name in it. */
export interface Tenant {
  /** By the names of path parameters. */
  readonly names: Readonly<Record<string, string>>;
  /** Of an invitation. */
  readonly token: string;
  /** Forgets it. */
  discard(): Promise<void>;
}

/** The organizations of a realm, as requests need them. */
export class Tenants {
  readonly #place: Place;
  #serial = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Makes the company, or its members anew. */
  async ensureCompany(): Promise<void> {
    const { store, clock } = this.#place;
    const members = store.collection(collections.members);
    const found = await Promise.all(
      Object.keys(staff).map((id) => members.get(memberId(company.org, id), "live")),
    );
    if (found.every((member) => member !== undefined)) return;
    await this.#remove(company.org);
    await insertOrganization(store, clock, company.org, staff, { teams });
  }

  /** One for a request to a path of organizations; undefined for others. */
  async of({ id: operation, path }: Operation, { pick }: Pick<Plan, "pick">): Promise<Tenant | undefined> {
    if (!/\/(?:_orgs|_admin\/orgs)\//.test(path)) return undefined;
    this.#serial += 1;
    const { store, clock } = this.#place;
    const variant = variants[(pick >> 4) % variants.length];
    const [org, team, id] = ["org", "team", "invitation"].map((kind) => `${kind}-of-${this.#serial}`);
    const names = {
      org: org ?? "",
      team: team ?? "",
      id: id ?? "",
      user: someone[pick % someone.length] ?? "",
    };
    const isDeleted =
      variant === "deleted" || (operation === "adminReactivateOrganization" && variant !== "strict");
    const token = newToken("svi");
    const { user, ...others } = membersOf(names.team);
    if (variant !== "unknown") {
      const members = variant === "foreign" ? others : { user: user ?? {}, ...others };
      await insertOrganization(store, clock, names.org, isDeleted ? {} : members, {
        teams: [{ id: names.team, name: "Team", roles: [] }],
        require_mfa: variant === "strict",
        ...(isDeleted && deleted),
      });
      await this.#invite(
        names,
        token,
        variant === "elsewhere" ? "nobody" : path.includes("{id}") ? "email" : "none",
      );
    }
    return { names, token, discard: () => this.#remove(names.org) };
  }

  /** Waits until jobs have done what there is to do to organizations. */
  async settle(): Promise<void> {
    const jobs = this.#place.store.collection(jobCollection);
    const filter = and(
      isIn(jobFields.status, ["queued", "running"]),
      isIn(jobFields.kind, ["org_delete", "assign_org"]),
    );
    while ((await jobs.count(filter, "live")) > 0) await new Promise(setImmediate);
  }

  async #invite({ org, id }: Tenant["names"], token: string, to: "none" | "email" | "nobody"): Promise<void> {
    const { store, clock } = this.#place;
    const now = clock.now();
    const record = {
      id: id ?? "",
      org: org ?? "",
      token: tokenHash(token),
      binding: to === "nobody" ? ("user" as const) : to,
      user: to === "nobody" ? "nobody" : null,
      email: to === "email" ? "invited@example.com" : null,
      roles: ["agent"],
      teams: [],
      max_uses: 1,
      uses: 0,
      used_by: [],
      revoked: false,
      expires_at: timestamp(now + 86_400_000),
      created_at: timestamp(now),
      created_by: "key:whole",
    };
    await store.collection(collections.invitations).insert(writeOrganizationInvitation(record, 1));
  }

  async #remove(org: string): Promise<void> {
    const { store } = this.#place;
    await store.collection(collections.organizations).remove(org);
    for (const [name, field] of [
      [collections.members, memberFields.org],
      [collections.invitations, memberFields.org],
    ] as const) {
      const found = await store
        .collection(name)
        .find({ filter: eq(field, org), visibility: "live", limit: 100, skip: 0 });
      for (const { id } of found) await store.collection(name).remove(id);
    }
  }
}

/** What is out of the ordinary about the organization of a request, if anything. */
const variants = [
  "unknown",
  "strict",
  "deleted",
  "foreign",
  "elsewhere",
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
] as const;

const someone = ["known", "boss", "user"] as const;

function membersOf(team: string): Readonly<Record<string, Membership>> {
  const held = { team, role: "substitute", from: null, until: null };
  return {
    user: { roles: ["manager"] },
    boss: { roles: ["planner"] },
    known: { teams: [team], team_roles: [held] },
  };
}

const deleted: Partial<OrganizationRecord> = { status: "deleted", slug_key: null, deleted_at: timestamp(0) };

/** The body of an operation on organizations with what it can only be given now; undefined for others. */
export function organizationBody(
  id: string,
  pick: number,
  value: JsonObject,
  tenant: Tenant | undefined,
): JsonObject | undefined {
  const usually = pick % 4 !== 3;
  switch (id) {
    case "createOrganization":
      return pick % 4 === 1 ? { ...value, slug: company.org } : undefined;
    case "adminCreateOrganization":
      return usually && typeof value["owner"] === "string" ? { ...value, owner: "known" } : undefined;
    case "adminPutManager":
      return usually && typeof value["user"] === "string" ? { ...value, user: "known" } : undefined;
    case "giveTeamRole":
    case "changeTeamRole":
    case "takeTeamRole":
      return usually && typeof value["user"] === "string" ? heldBy(value, id === "giveTeamRole") : undefined;
    case "createTeam":
      return pick % 4 === 1 ? { ...value, name: "Team" } : undefined;
    case "createOrganizationInvitation":
    case "adminInviteToOrganization":
      return usually ? invitation(pick, value, tenant) : undefined;
    case "previewInvitation":
    case "acceptInvitation":
      return usually && typeof value["token"] === "string"
        ? { ...value, token: tenant?.token ?? "" }
        : undefined;
    case "adminReactivateOrganization":
      return pick % 4 === 1 ? { ...value, slug: company.org } : undefined;
    default:
      return undefined;
  }
}

/** Of `known`, who has one role and gets the other. */
function heldBy(value: JsonObject, given: boolean): JsonObject {
  const { from: _from, until: _until, ...asked } = value;
  return { ...asked, user: "known", role: given ? "lead" : "substitute" };
}

function invitation(pick: number, value: JsonObject, tenant: Tenant | undefined): JsonObject {
  const { roles, ...others } = value;
  const known = Object.keys(others).every((name) => invited.has(name));
  if (!known) return value;
  const teams = tenant?.names["team"] === undefined ? [] : [tenant.names["team"]];
  if (pick % 3 === 0) return { email: "new@example.com", roles: roles ?? [], teams, send: true };
  return pick % 3 === 1
    ? { user: "known", roles: roles ?? [], expires_in: "3d" }
    : { roles: [], max_uses: 3 };
}

const invited = new Set(["binding", "user", "email", "teams", "max_uses", "send", "expires_in"]);
