/** What changes who may read what, and the credentials that people come with. */
import type { JsonObject } from "../../../runtime/json.ts";
import type { Random } from "../../organizations/model/prng.ts";
import { ask, type Headers } from "../wire/requests.ts";
import { orgs, root, users } from "./people.ts";
import type { Stage } from "./stage.ts";
import type { Moments, Timeline } from "./timeline.ts";
import type { Access, Member, Org, TeamRole } from "./world.ts";

const minute = 60_000;

/** What is done: a request, and the access after it. */
interface Change {
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Headers;
  /** It needs a fresh proof of identity. */
  readonly proof?: true;
  /** @param body of the answer */
  readonly after: Access | ((body: JsonObject) => Access);
}

const stranger: Member = { roles: [], teams: [], teamRoles: [] };

export class Changes {
  readonly outcomes = new Map<string, number>();
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #moments: Moments;
  readonly #timeline: Timeline;
  #serial = 0;

  constructor(stage: Stage, random: Random, moments: Moments, timeline: Timeline) {
    this.#stage = stage;
    this.#random = random;
    this.#moments = moments;
    this.#timeline = timeline;
  }

  /** Changes something of somebody's access. */
  async change(): Promise<void> {
    const { kind, method, path, body, headers, after, proof } = this.#drawn();
    const proving = proof === true ? await this.#stage.proof() : {};
    const from = this.#moments.next();
    const {
      status,
      code,
      body: answer,
    } = await ask(method, this.#stage.url() + path, {
      headers: { ...(headers ?? this.#stage.credentials.bearer("administrator")), ...proving },
      ...(body !== undefined && { body }),
    });
    this.#moments.note(`change since ${from}: ${method} ${path} ${JSON.stringify(body)} ${status}`);
    const outcome = `${kind} ${status}${code === "" ? "" : ` ${code}`}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (status >= 200 && status < 300) {
      const access = typeof after === "function" ? after(answer) : after;
      this.#timeline.changed(access, from, this.#moments.next());
    } else throw new Error(`${method} ${path} ${JSON.stringify(body ?? null)} answered ${status} ${code}`);
  }

  /** Has time go by. */
  wait(milliseconds: number): void {
    const from = this.#moments.next();
    this.#stage.clock.advance(milliseconds);
    this.#timeline.changed({ ...this.#access, now: this.#stage.clock.now() }, from, this.#moments.next());
  }

  get #access(): Access {
    return this.#timeline.access;
  }

  #drawn(): Change {
    const random = this.#random;
    const user = random.pick(users);
    if (random.chance(0.12)) return this.#ring();
    if (random.chance(0.15)) return this.#roles(user);
    const id = random.pick(orgs);
    const org = this.#access.orgs[id];
    if (org === undefined) throw new Error(`no organization ${id}`);
    if (org.deleted) return this.#reactivation(id, org);
    if (org.members[root] === undefined) return this.#manager(id, org);
    const member = org.members[user];
    const [team] = org.teams;
    if (team === undefined) return this.#team(id, org);
    const chance = random.next();
    if (chance < 0.06) return this.#deletion(id, org);
    if (chance < 0.18) return this.#claims(id, org);
    if (chance < 0.28) return this.#factor(id, org);
    if (member === undefined || chance < 0.42) return this.#membership(id, org, user);
    if (chance < 0.5) return this.#expulsion(id, org, user);
    if (chance < 0.7) return this.#inTeam(id, org, user, team);
    return this.#teamRole(id, org, user, team);
  }

  #ring(): Change {
    const ring = this.#random.pick([0, 1, 2, 3] as const);
    const after = { ...this.#access, ring };
    return { kind: "app config", method: "PUT", path: "/_admin/config/app", body: { ring }, after };
  }

  #roles(user: string): Change {
    const roles = this.#random.some(["editor", "critic"], 2);
    const after = { ...this.#access, roles: { ...this.#access.roles, [user]: roles } };
    return { kind: "roles", method: "PATCH", path: `/_admin/users/${user}`, body: { roles }, after };
  }

  #deletion(id: string, org: Org): Change {
    const after = this.#with(id, { ...org, deleted: true, members: {}, teams: [] });
    return { kind: "delete", method: "DELETE", path: `/_admin/orgs/${id}`, after };
  }

  #reactivation(id: string, org: Org): Change {
    const after = this.#with(id, { ...org, deleted: false });
    return { kind: "reactivate", method: "POST", path: `/_admin/orgs/${id}/reactivate`, after };
  }

  #manager(id: string, org: Org): Change {
    const members = { ...org.members, [root]: { ...(org.members[root] ?? stranger), roles: ["owner"] } };
    const path = `/_admin/orgs/${id}/manager`;
    return {
      kind: "manager",
      method: "PUT",
      path,
      body: { user: root },
      after: this.#with(id, { ...org, members }),
    };
  }

  #claims(id: string, org: Org): Change {
    const plan = this.#random.pick(["pro", "free"] as const);
    const path = `/_admin/orgs/${id}/claims`;
    return { kind: "claims", method: "PUT", path, body: { plan }, after: this.#with(id, { ...org, plan }) };
  }

  #factor(id: string, org: Org): Change {
    const requireMfa = !org.requireMfa;
    const after = this.#with(id, { ...org, requireMfa });
    return {
      kind: "require_mfa",
      method: "PATCH",
      path: `/_orgs/${id}`,
      body: { require_mfa: requireMfa },
      headers: this.#root(),
      proof: true,
      after,
    };
  }

  #membership(id: string, org: Org, user: string): Change {
    const roles = this.#random.some(["owner", "clerk"], 2);
    const after = this.#member(id, org, user, { ...(org.members[user] ?? stranger), roles });
    return {
      kind: "member",
      method: "PUT",
      path: `/_admin/orgs/${id}/members/${user}`,
      body: { roles },
      after,
    };
  }

  #expulsion(id: string, org: Org, user: string): Change {
    const { [user]: _, ...members } = org.members;
    const after = this.#with(id, { ...org, members });
    return { kind: "remove", method: "DELETE", path: `/_admin/orgs/${id}/members/${user}`, after };
  }

  #team(id: string, org: Org): Change {
    this.#serial += 1;
    const body = { name: `team ${this.#serial}`, roles: [] };
    const after = ({ id: team }: JsonObject) => this.#with(id, { ...org, teams: [String(team)] });
    return { kind: "team", method: "POST", path: `/_orgs/${id}/teams`, body, headers: this.#root(), after };
  }

  #inTeam(id: string, org: Org, user: string, team: string): Change {
    const member = org.members[user] ?? stranger;
    const isIn = member.teams.includes(team);
    const after = this.#member(id, org, user, {
      ...member,
      teams: isIn ? member.teams.filter((each) => each !== team) : [...member.teams, team],
      // With the team go the roles within it.
      teamRoles: isIn ? member.teamRoles.filter((held) => held.team !== team) : member.teamRoles,
    });
    const path = `/_orgs/${id}/teams/${team}/members/${user}`;
    return { kind: "team member", method: isIn ? "DELETE" : "PUT", path, headers: this.#root(), after };
  }

  #teamRole(id: string, org: Org, user: string, team: string): Change {
    const random = this.#random;
    const member = org.members[user] ?? stranger;
    const role = random.pick(["lead", "reviewer"] as const);
    const held = member.teamRoles.find((each) => each.team === team && each.role === role);
    const others = member.teamRoles.filter((each) => each !== held);
    const path = `/_orgs/${id}/teams/${team}/roles`;
    if (held !== undefined && random.chance(0.4)) {
      const after = this.#member(id, org, user, { ...member, teamRoles: others });
      const body = { user, role };
      return { kind: "team role", method: "DELETE", path, body, headers: this.#root(), after };
    }
    const now = this.#stage.clock.now();
    // As far from the moments to which time is moved as can be.
    const from = now + random.pick([-10, -10, 10] as const) * minute;
    const next: TeamRole = { team, role, from, until: from + random.pick([20, 40, 60] as const) * minute };
    const after = this.#member(id, org, user, { ...member, teamRoles: [...others, next] });
    const body = {
      user,
      role,
      from: new Date(from).toISOString(),
      until: new Date(next.until).toISOString(),
    };
    return {
      kind: "team role",
      method: held === undefined ? "POST" : "PATCH",
      path,
      body,
      headers: this.#root(),
      after,
    };
  }

  #member(id: string, org: Org, user: string, member: Member): Access {
    return this.#with(id, { ...org, members: { ...org.members, [user]: member } });
  }

  #with(id: string, org: Org): Access {
    return { ...this.#access, orgs: { ...this.#access.orgs, [id]: org } };
  }

  #root(): Headers {
    return this.#stage.credentials.bearer(root);
  }
}
