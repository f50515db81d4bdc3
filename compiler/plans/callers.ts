/** Callers as people write them down, in the form that rule tests have, and what rules see of them. */
import type { JsonObject } from "../../runtime/json.ts";
import type { Membership } from "../../runtime/realm/memberships.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import type { Realm } from "../model/model.ts";

export type GivenCaller = "anonymous" | GivenUser;

/** What is left out: no roles, no profile, no organizations; an address that is verified. */
export interface GivenUser {
  readonly id?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly roles?: readonly string[];
  readonly locale?: string;
  readonly mfa?: boolean;
  /** RFC 3339. */
  readonly created_at?: string;
  readonly profile?: JsonObject;
  /** By id. */
  readonly orgs?: Readonly<Record<string, GivenOrganization>>;
}

/** What they are in one, beside the roles that every member has. */
export interface GivenOrganization {
  readonly roles?: readonly string[];
  /** Teams whose member they are, by id. */
  readonly teams?: Readonly<Record<string, { readonly roles?: readonly GivenTeamRole[] }>>;
  readonly claims?: JsonObject;
}

/** A role within a team, in its time window: RFC 3339, the end exclusive. */
export type GivenTeamRole =
  | string
  | { readonly role: string; readonly from?: string; readonly until?: string };

/** The time of examples, as of rule tests: never the clock. */
export const exampleTime = "2026-01-01T00:00:00.000Z";

/** When, and with which values for programs. */
export interface Circumstances {
  /** RFC 3339, UTC, milliseconds. Default: {@link exampleTime}. */
  readonly now?: string;
  /** Default: that of realm.yaml. */
  readonly appConfig?: JsonObject;
}

/** What a rule is evaluated with for the caller. */
export function contextOf(
  caller: GivenCaller,
  { organizations, ...realm }: Pick<Realm, "appConfig" | "organizations">,
  { now = exampleTime, appConfig = realm.appConfig }: Circumstances = {},
): RuleContext {
  if (caller === "anonymous") return { user: undefined, now, appConfig, memberships: new Map() };
  const { id = "ada", profile = null, locale = null, roles = [], mfa = false, orgs = {} } = caller;
  const { email = `${id}@example.com`, email_verified = true, created_at = now } = caller;
  const memberships = Object.entries(orgs).map(([org, { roles: own = [], teams = {}, claims = {} }]) => {
    const membership: Membership = {
      org,
      roles: new Set([...own, ...(organizations?.defaultRoles ?? [])]),
      teams: new Set(Object.keys(teams)),
      teamRoles: new Map(
        Object.entries(teams).map(
          ([team, { roles: held = [] }]) =>
            [team, new Set(held.flatMap((each) => openRole(each, now)))] as const,
        ),
      ),
      claims,
    };
    return [org, membership] as const;
  });
  const user = { id, email, email_verified, roles, locale, mfa, created_at, profile };
  return { user, now, appConfig, memberships: new Map(memberships) };
}

/** The role, while its window is open. */
function openRole(given: GivenTeamRole, now: string): readonly string[] {
  if (typeof given === "string") return [given];
  const { role, from = now, until } = given;
  const at = Date.parse(now);
  return Date.parse(from) <= at && (until === undefined || at < Date.parse(until)) ? [role] : [];
}
