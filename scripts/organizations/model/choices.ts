import type { Random } from "./prng.ts";
import {
  accountOf,
  type Caller,
  type Invitation,
  isPending,
  type Manage,
  manages,
  type Org,
  type PersonName,
  people,
  type Role,
  roleNames,
  type World,
} from "./world.ts";

export const names = ["Acme", "Bolt", "Crow"] as const;
export const slugs = ["acme", "acme-2", "bolt"] as const;

/** Who and what an operation is about: an organization, and mostly what is in it. */
export class Choices {
  readonly random: Random;
  readonly world: World;
  /** A handle. */
  readonly id: string;
  readonly org: Org | undefined;

  /** @param near the organization; absent: any */
  constructor(random: Random, world: World, near: string | undefined) {
    this.random = random;
    this.world = world;
    const all = [...world.orgs.keys()];
    const live = [...world.orgs]
      .filter(([, { members }]) => this.active([...members.keys()]).length > 0)
      .map(([id]) => id);
    const ids = live.length > 0 && random.chance(0.95) ? live : all;
    // Mostly the first, so that much happens to one.
    const [first = "nowhere"] = ids;
    const other = random.chance(0.4) && ids.length > 0 ? random.pick(ids) : first;
    this.id = near ?? (random.chance(0.03) ? "nowhere" : other);
    this.org = world.orgs.get(this.id);
  }

  /** What a new organization is called. */
  named(): { readonly name: string; readonly slug?: string } {
    const random = this.random;
    return { name: random.pick(names), ...(random.chance(0.5) && { slug: random.pick(slugs) }) };
  }

  /** The people in the organization. */
  members(): readonly PersonName[] {
    return this.active([...(this.org?.members.keys() ?? [])]);
  }

  /** Mostly one of them. */
  member(): PersonName {
    const members = this.members();
    return this.random.pick(members.length > 0 && this.random.chance(0.9) ? members : people);
  }

  /** Mostly somebody whom the organization lets manage one of these. */
  manager(...entries: readonly Manage[]): Caller {
    const org = this.org;
    const managers = this.active(
      [...(org?.members ?? [])]
        .filter(([, member]) => org !== undefined && entries.some((entry) => manages(org, member).has(entry)))
        .map(([id]) => id),
    );
    return this.session(managers.length > 0 && this.random.chance(0.8) ? managers : this.members());
  }

  /** Mostly one of these in a session. */
  session(among: readonly PersonName[]): Caller {
    return this.anybody(among, 0.97);
  }

  /** One of these, in a session or through a key that acts for them; at times others. */
  anybody(among: readonly PersonName[], sessions = 0.6): Caller {
    const random = this.random;
    const chosen = among.length > 0 && random.chance(0.93) ? among : people;
    const here = chosen.filter((each) => accountOf(this.world, each).status === "active");
    const person = random.pick(here.length > 0 && random.chance(0.93) ? here : chosen);
    if (random.chance(sessions)) return { kind: "session", person, mfa: random.chance(0.8) };
    if (random.chance(0.7)) return { kind: "delegate", person };
    return { kind: random.chance(0.7) ? "key" : "anonymous" };
  }

  /** The people of these accounts that are active. */
  active(ids: readonly string[]): readonly PersonName[] {
    return ids.flatMap((id) => {
      const account = this.world.accounts.get(id);
      return account?.status === "active" ? [account.person] : [];
    });
  }

  /** Roles of organizations. */
  roles(): readonly Role[] {
    const random = this.random;
    return random.chance(0.2) ? [] : [...new Set([random.pick(roleNames), ...random.some(roleNames, 1)])];
  }

  /** At times one that somebody is invited into. */
  team(): string {
    const teams = [...(this.org?.teams.keys() ?? [])];
    const invited = [...(this.org?.invitations.values() ?? [])]
      .flatMap((invitation) => invitation.teams)
      .filter((team) => teams.includes(team));
    if (invited.length > 0 && this.random.chance(0.4)) return this.random.pick(invited);
    return teams.length > 0 && this.random.chance(0.95) ? this.random.pick(teams) : "no team";
  }

  /** The handle of an invitation, mostly. */
  invited(): string {
    const invitations = [...(this.org?.invitations.keys() ?? [])];
    return invitations.length > 0 && this.random.chance(0.95)
      ? this.random.pick(invitations)
      : "no invitation";
  }

  /** The invitations of all organizations that can be accepted. */
  pending(): readonly (readonly [string, Invitation])[] {
    return [...this.world.orgs.values()]
      .flatMap((org) => [...org.invitations])
      .filter(([, invitation]) => isPending(invitation, this.world.now));
  }
}
