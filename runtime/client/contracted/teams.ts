// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import { pathWith } from "../calls.ts";
import type { Connected } from "../connected.ts";
import type { Connection } from "../connection.ts";
import type { ApiPromise } from "../errors.ts";
import { type EntryPage, type PageOptions, read } from "../pages.ts";
import type { RealmWithOrganizations } from "../realm.ts";
import type { RequestOptions } from "../request.ts";
import type { AnyBodyError, BodyError, MemberError } from "../route-errors.ts";
import type {
  HeldTeamRole,
  Member,
  Team,
  TeamMember,
  TeamMemberOptions,
  TeamRole,
} from "./organization-types.ts";

/** The teams of organizations; `org` and `team` are ids. */
export class Teams<R extends RealmWithOrganizations> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    this.#connection = connected.connection;
  }

  /** List the teams of an organization. In the order in which they were made. */
  list(org: string, options: PageOptions = {}): ApiPromise<EntryPage<Team<R>>, MemberError> {
    return this.#connection.call({ method: "GET", path: pathWith`_orgs/${org}/teams`, ...read(options) });
  }

  /** Create a team. Needs `manage: teams`. Nobody gives a team roles that manage more than they do. */
  create(
    org: string,
    body: {
      /**
       * On one line, unique in the organization, and not what an `origin` of roles is called; spaces around
       * it are left out.
       */
      name: string;
      roles?: readonly R["organizationRole"][] | undefined;
    },
    options?: RequestOptions,
  ): ApiPromise<
    Team<R>,
    MemberError | BodyError | "team_limit_reached" | "team_name_taken" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: pathWith`_orgs/${org}/teams`, body, options });
  }

  /** Change a team. Needs `manage: teams`. JSON Merge Patch (RFC 7396); `roles` replaces them all. */
  patch(
    org: string,
    team: string,
    patch: {
      /**
       * On one line, unique in the organization, and not what an `origin` of roles is called; spaces around
       * it are left out.
       */
      name?: string | undefined;
      roles?: readonly R["organizationRole"][] | undefined;
    },
    options?: RequestOptions,
  ): ApiPromise<
    Team<R>,
    MemberError | BodyError | "not_found" | "team_name_taken" | "last_org_manager" | "write_conflict"
  > {
    return this.#connection.call({
      method: "PATCH",
      path: pathWith`_orgs/${org}/teams/${team}`,
      body: patch,
      options,
    });
  }

  /** Delete a team. Needs `manage: teams`. Nobody is in it any longer; its documents stay as they are. */
  delete(
    org: string,
    team: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_orgs/${org}/teams/${team}`, options });
  }

  /** List who is in a team or holds a role in it. Sorted by user id. */
  members(
    org: string,
    team: string,
    options: TeamMemberOptions<R> = {},
  ): ApiPromise<EntryPage<TeamMember<R>>, MemberError | "not_found"> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_orgs/${org}/teams/${team}/members`,
      ...read(options),
    });
  }

  /**
   * Put a member into a team. Needs `manage: teams`. Nobody gives, by a team, roles that manage more
   * than they do.
   */
  addMember(
    org: string,
    team: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<
    Member<R>,
    MemberError | AnyBodyError | "not_found" | "team_limit_reached" | "write_conflict"
  > {
    return this.#connection.call({
      method: "PUT",
      path: pathWith`_orgs/${org}/teams/${team}/members/${user}`,
      options,
    });
  }

  /** Take a member out of a team, and their roles in it. Needs `manage: teams`. */
  removeMember(
    org: string,
    team: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<Member<R>, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_orgs/${org}/teams/${team}/members/${user}`,
      options,
    });
  }

  /** Give a member a role in a team. Needs `manage: teams`, or a role in this team that grants the role. */
  giveRole(
    org: string,
    team: string,
    body: HeldTeamRole<R>,
    options?: RequestOptions,
  ): ApiPromise<TeamRole<R>, MemberError | BodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_orgs/${org}/teams/${team}/roles`,
      body,
      options,
    });
  }

  /**
   * Change when a role in a team is held. Needs `manage: teams`, or a role in this team that grants the
   * role. A bound that is left out stays.
   */
  changeRole(
    org: string,
    team: string,
    patch: HeldTeamRole<R>,
    options?: RequestOptions,
  ): ApiPromise<TeamRole<R>, MemberError | BodyError | "not_found" | "write_conflict"> {
    return this.#connection.call({
      method: "PATCH",
      path: pathWith`_orgs/${org}/teams/${team}/roles`,
      body: patch,
      options,
    });
  }

  /**
   * Take a role in a team from a member. Needs `manage: teams`, or a role in this team that grants the
   * role.
   */
  takeRole(
    org: string,
    team: string,
    body: {
      /** Id of a member of the organization. */
      user: string;
      role: string;
    },
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | BodyError | "not_found" | "write_conflict"> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_orgs/${org}/teams/${team}/roles`,
      body,
      options,
    });
  }
}
