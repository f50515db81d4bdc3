import type { ErrorCode } from "../errors.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { AnyBodyError, BodyError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import { type Member, type MemberError, pathOf } from "./members.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { OrganizationRole, TeamRoleName } from "./realm.ts";

export interface Team {
  id: string;
  name: string;
  /** Its members have them. */
  roles: OrganizationRole[];
}

/** A role held within a team, from `from` (included) to `until` (excluded); null: without end there. */
export interface TeamRole {
  /** Id of the user. */
  user: string;
  role: TeamRoleName;
  from: string | null;
  until: string | null;
}

export interface TeamMember extends Member {
  /** Those in this team. */
  team_roles: Omit<TeamRole, "user">[];
}

/** A bound that is left out stays as it is. */
export interface TeamRoleWindow {
  from?: string | Date | null | undefined;
  until?: string | Date | null | undefined;
}

export interface TeamMemberOptions extends PageOptions {
  /** Only those who hold this role in the team. */
  role?: TeamRoleName | undefined;
}

/** The teams of organizations; `org` and `team` are ids. */
export class Teams {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  list(org: string, options: PageOptions = {}): ApiPromise<EntryPage<Team>, MemberError> {
    return this.#call(org, { method: "GET", path: "", ...read(options) });
  }

  create(
    org: string,
    team: { name: string; roles?: readonly OrganizationRole[] | undefined },
    options?: RequestOptions,
  ): ApiPromise<Team, MemberError | BodyError | "team_limit_reached" | "team_name_taken" | "write_conflict"> {
    return this.#call(org, { method: "POST", path: "", body: team, options });
  }

  patch(
    org: string,
    team: string,
    patch: { name?: string | undefined; roles?: readonly OrganizationRole[] | undefined },
    options?: RequestOptions,
  ): ApiPromise<
    Team,
    MemberError | BodyError | "not_found" | "team_name_taken" | "last_org_manager" | "write_conflict"
  > {
    return this.#call(org, { method: "PATCH", path: pathOf(team), body: patch, options });
  }

  delete(
    org: string,
    team: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#call(org, { method: "DELETE", path: pathOf(team), options });
  }

  /** Who is in the team or holds a role in it, sorted by user id. */
  members(
    org: string,
    team: string,
    options: TeamMemberOptions = {},
  ): ApiPromise<EntryPage<TeamMember>, MemberError | "not_found"> {
    return this.#call(org, { method: "GET", path: pathOf(team, "members"), ...read(options) });
  }

  addMember(
    org: string,
    team: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<Member, MemberError | AnyBodyError | "not_found" | "team_limit_reached" | "write_conflict"> {
    return this.#call(org, { method: "PUT", path: pathOf(team, "members", user), options });
  }

  removeMember(
    org: string,
    team: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<Member, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#call(org, { method: "DELETE", path: pathOf(team, "members", user), options });
  }

  giveRole(
    org: string,
    team: string,
    role: Pick<TeamRole, "user" | "role"> & TeamRoleWindow,
    options?: RequestOptions,
  ): ApiPromise<TeamRole, MemberError | BodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#call(org, { method: "POST", path: pathOf(team, "roles"), body: role, options });
  }

  changeRole(
    org: string,
    team: string,
    role: Pick<TeamRole, "user" | "role"> & TeamRoleWindow,
    options?: RequestOptions,
  ): ApiPromise<TeamRole, MemberError | BodyError | "not_found" | "write_conflict"> {
    return this.#call(org, { method: "PATCH", path: pathOf(team, "roles"), body: role, options });
  }

  takeRole(
    org: string,
    team: string,
    role: { user: string; role: string },
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | BodyError | "not_found" | "write_conflict"> {
    return this.#call(org, { method: "DELETE", path: pathOf(team, "roles"), body: role, options });
  }

  #call<T, Code extends ErrorCode>(org: string, call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_orgs${pathOf(org, "teams")}${call.path}` });
  }
}
