import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { AnyBodyError, BodyError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import { type Member, type MemberError, pathOf } from "./members.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { RealmWithOrganizations } from "./realm.ts";

export interface Team<R extends RealmWithOrganizations> {
  id: string;
  name: string;
  /** Its members have them. */
  roles: R["organizationRole"][];
}

/** A role held within a team, from `from` (included) to `until` (excluded); null: without end there. */
export interface TeamRole<R extends RealmWithOrganizations> {
  /** Id of the user. */
  user: string;
  role: R["teamRole"];
  from: string | null;
  until: string | null;
}

export interface TeamMember<R extends RealmWithOrganizations> extends Member<R> {
  /** Those in this team. */
  team_roles: Omit<TeamRole<R>, "user">[];
}

/** A bound that is left out stays as it is. */
export interface TeamRoleWindow {
  from?: string | Date | null | undefined;
  until?: string | Date | null | undefined;
}

export interface TeamMemberOptions<R extends RealmWithOrganizations> extends PageOptions {
  /** Only those who hold this role in the team. */
  role?: R["teamRole"] | undefined;
}

/** The teams of organizations; `org` and `team` are ids. */
export class Teams<R extends RealmWithOrganizations> {
  readonly #connection: Connection;

  constructor({ connection }: Connected<R>) {
    this.#connection = connection;
  }

  list(org: string, options: PageOptions = {}): ApiPromise<EntryPage<Team<R>>, MemberError> {
    return this.#call(org, { method: "GET", path: "", ...read(options) });
  }

  create(
    org: string,
    team: { name: string; roles?: readonly R["organizationRole"][] | undefined },
    options?: RequestOptions,
  ): ApiPromise<
    Team<R>,
    MemberError | BodyError | "team_limit_reached" | "team_name_taken" | "write_conflict"
  > {
    return this.#call(org, { method: "POST", path: "", body: team, options });
  }

  patch(
    org: string,
    team: string,
    patch: { name?: string | undefined; roles?: readonly R["organizationRole"][] | undefined },
    options?: RequestOptions,
  ): ApiPromise<
    Team<R>,
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
    options: TeamMemberOptions<R> = {},
  ): ApiPromise<EntryPage<TeamMember<R>>, MemberError | "not_found"> {
    return this.#call(org, { method: "GET", path: pathOf(team, "members"), ...read(options) });
  }

  addMember(
    org: string,
    team: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<
    Member<R>,
    MemberError | AnyBodyError | "not_found" | "team_limit_reached" | "write_conflict"
  > {
    return this.#call(org, { method: "PUT", path: pathOf(team, "members", user), options });
  }

  removeMember(
    org: string,
    team: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<Member<R>, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#call(org, { method: "DELETE", path: pathOf(team, "members", user), options });
  }

  giveRole(
    org: string,
    team: string,
    role: Pick<TeamRole<R>, "user" | "role"> & TeamRoleWindow,
    options?: RequestOptions,
  ): ApiPromise<TeamRole<R>, MemberError | BodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#call(org, { method: "POST", path: pathOf(team, "roles"), body: role, options });
  }

  changeRole(
    org: string,
    team: string,
    role: Pick<TeamRole<R>, "user" | "role"> & TeamRoleWindow,
    options?: RequestOptions,
  ): ApiPromise<TeamRole<R>, MemberError | BodyError | "not_found" | "write_conflict"> {
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

  #call<T, Code extends AnyErrorCode>(org: string, call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_orgs${pathOf(org, "teams")}${call.path}` });
  }
}
