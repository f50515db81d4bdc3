/** Operations of each kind, with who does them and what they do it to. */
import { type Choices, names, slugs } from "./choices.ts";
import type { Bound, Operation } from "./operations.ts";
import type { Random } from "./prng.ts";
import type { Kind } from "./themes.ts";
import { accountOf, collectionNames, type Org, people, type TeamRole, type World } from "./world.ts";

/** One of them meets how many they may create. */
const creators = [...people, people[0], people[0]];
const teamNames = ["red", "green", "blue", "grey", "pink", "gold"] as const;

/**
 * An operation of a kind.
 * @param serial tells what it makes from what others make
 */
export function operationOf(choices: Choices, kind: Kind, serial: number): Operation {
  return new Draw(choices).operation(kind, serial);
}

class Draw {
  readonly #choices: Choices;
  readonly #random: Random;
  readonly #world: World;
  readonly #id: string;
  readonly #org: Org | undefined;

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#random = choices.random;
    this.#world = choices.world;
    this.#id = choices.id;
    this.#org = choices.org;
  }

  operation(kind: Kind, serial: number): Operation {
    const random = this.#random;
    const org = this.#id;
    switch (kind) {
      case "create":
        return { kind, by: this.#choices.session(creators), org: `o${serial}`, ...this.#choices.named() };
      case "patch": {
        const slug = random.chance(0.3) && { slug: random.pick(slugs) };
        const name = random.chance(0.3) && { name: random.pick(names) };
        const requireMfa = random.chance(0.6) && { requireMfa: random.chance(0.6) };
        return {
          kind,
          by: this.#choices.manager("org"),
          org,
          ...slug,
          ...name,
          ...requireMfa,
          proof: random.chance(0.8),
        };
      }
      case "delete":
        return { kind, by: this.#choices.manager("org"), org, proof: random.chance(0.8) };
      case "roles":
        return {
          kind,
          by: this.#choices.manager("members", "roles"),
          org,
          person: this.#choices.member(),
          roles: this.#choices.roles(),
        };
      case "remove":
        return { kind, by: this.#choices.manager("members"), org, person: this.#choices.member() };
      case "leave":
        return { kind, by: this.#choices.session(this.#choices.members()), org };
      case "team": {
        const roles = random.chance(0.6) ? [] : this.#choices.roles();
        return {
          kind,
          by: this.#choices.manager("teams"),
          org,
          team: `t${serial}`,
          name: random.pick(teamNames),
          roles,
        };
      }
      case "team patch": {
        const name = random.chance(0.4) && { name: random.pick(teamNames) };
        return {
          kind,
          by: this.#choices.manager("teams"),
          org,
          team: this.#choices.team(),
          ...name,
          ...(random.chance(0.7) && { roles: this.#choices.roles() }),
        };
      }
      case "team delete":
        return { kind, by: this.#choices.manager("teams"), org, team: this.#choices.team() };
      case "team add": {
        // Of few people, so that there are some in many teams.
        const [person = this.#choices.member()] = random.chance(0.6) ? this.#choices.members() : [];
        return { kind, by: this.#choices.manager("teams"), org, team: this.#choices.team(), person };
      }
      case "team drop":
        return {
          kind,
          by: this.#choices.manager("teams"),
          org,
          team: this.#choices.team(),
          person: this.#choices.member(),
        };
      case "role give":
      case "role change":
      case "role take":
        return this.#teamRole(kind);
      case "invite":
        return { kind, by: this.#choices.manager("members"), ...this.#invitation(serial) };
      case "admin invite":
        return { kind, ...this.#invitation(serial) };
      case "revoke":
        return {
          kind,
          by: this.#choices.manager("members", "teams"),
          org,
          invitation: this.#choices.invited(),
        };
      case "link":
      case "send":
        return {
          kind,
          by: this.#choices.manager("members"),
          org,
          invitation: this.#choices.invited(),
          token: `k${serial}`,
        };
      case "preview":
      case "accept":
        return this.#accepting(kind);
      case "admin create":
        return { kind, org: `o${serial}`, person: random.pick(people), ...this.#choices.named() };
      case "admin delete":
        return { kind, org };
      case "admin reactivate": {
        const deleted = [...this.#world.orgs].filter(([, { status }]) => status === "deleted");
        const [id = org] = deleted.length > 0 ? random.pick(deleted) : [];
        return { kind, org: id, ...(random.chance(0.4) && { slug: random.pick(slugs) }) };
      }
      case "admin put":
        return { kind, org, person: random.pick(people), roles: this.#choices.roles() };
      case "admin remove":
        return { kind, org, person: this.#choices.member() };
      case "admin claims":
        return { kind, org, ...(random.chance(0.7) && { plan: random.pick(["pro", "free"]) }) };
      case "admin manager":
        return { kind, org, person: random.pick(people) };
      case "account":
        return this.#account();
      case "wait":
        return { kind, minutes: random.pick([1, 61, 61, 61, 3_000]) };
      case "write":
        return this.#write(serial);
      case "read":
      case "update": {
        const documents = [...this.#world.documents];
        const [document = "nothing", { org: own = "" } = {}] =
          documents.length === 0 ? [] : random.pick(documents);
        const members = this.#world.orgs.get(own)?.members.keys() ?? [];
        return { kind, by: this.#choices.anybody(this.#choices.active([...members]), 0.8), document };
      }
    }
  }

  #teamRole(kind: "role give" | "role change" | "role take"): Operation {
    const random = this.#random;
    const role: TeamRole = random.pick(["lead", "reviewer", "reviewer"]);
    const among = random.chance(0.5)
      ? this.#choices.session(this.#choices.members())
      : this.#choices.manager("teams");
    const from: Bound = random.pick([undefined, undefined, null, -61, 1, 61]);
    const until: Bound = random.pick([undefined, null, 1, 61, 61, 122, 3_000]);
    return {
      kind,
      by: among,
      org: this.#id,
      team: this.#choices.team(),
      person: this.#choices.member(),
      role,
      ...(from !== undefined && { from }),
      ...(until !== undefined && { until }),
    };
  }

  #invitation(serial: number) {
    const random = this.#random;
    const binding = random.pick(["user", "email", "none", "none"] as const);
    const plain = random.chance(binding === "none" ? 0.9 : 0.5);
    return {
      org: this.#id,
      invitation: `i${serial}`,
      binding,
      person: random.pick(people),
      roles: plain ? [random.pick(["guest", "member"] as const)] : this.#choices.roles(),
      teams: random.chance(0.3) ? [] : random.some([...(this.#org?.teams.keys() ?? [])], 2),
      maxUses: random.pick([1, 2, 3]),
      lifetime: random.pick([61, 10_000, 40_000]),
    };
  }

  #accepting(kind: "preview" | "accept"): Operation {
    const random = this.#random;
    const all = [...this.#world.orgs.values()].flatMap((org) => [...org.invitations]);
    const pending = this.#choices.pending();
    if (all.length === 0) return { kind, by: this.#choices.session(people), token: "no token" };
    const [first, invitation] = random.pick(pending.length > 0 && random.chance(0.85) ? pending : all);
    const owner = this.#world.accounts.get(invitation.user ?? "")?.person ?? invitation.person;
    const by = this.#choices.session(owner === undefined || random.chance(0.2) ? people : [owner]);
    return { kind, by, token: random.chance(0.9) ? invitation.token : first };
  }

  /** Mostly somebody who is away comes back, so that few are. */
  #account(): Operation {
    const random = this.#random;
    const away = people.filter((each) => accountOf(this.#world, each).status !== "active");
    const person = random.pick(away.length > 0 && random.chance(0.7) ? away : people);
    const { status } = accountOf(this.#world, person);
    const kind = "account";
    if (status === "deleted") return { kind, person, to: "anew" };
    if (status === "disabled") return { kind, person, to: random.chance(0.85) ? "enabled" : "deleted" };
    return { kind, person, to: random.chance(0.75) ? "disabled" : "deleted" };
  }

  #write(serial: number): Operation {
    const random = this.#random;
    const collection = random.pick([...collectionNames, "reviews", "reviews", "drafts"] as const);
    const withTeam = collection === "drafts" || collection === "reviews" || collection === "tasks";
    const team = withTeam ? random.chance(0.8) : random.chance(0.1);
    const inTeams = [...(this.#org?.members ?? [])].filter(([, { teams }]) => teams.length > 0);
    const [id, { teams } = { teams: [] }] = inTeams.length > 0 ? random.pick(inTeams) : [];
    const isOwn = team && id !== undefined && random.chance(0.85);
    const by = this.#choices.anybody(isOwn ? this.#choices.active([id]) : this.#choices.members(), 0.85);
    const own = isOwn && teams.length > 0 ? random.pick(teams) : this.#choices.team();
    return {
      kind: "write",
      by,
      document: `d${serial}`,
      collection,
      ...(random.chance(0.93) && { org: this.#id }),
      ...(team && { team: own }),
    };
  }
}
