import { accounts } from "./accounts.ts";
import { administration } from "./administration.ts";
import type { RouteContract } from "./contract.ts";
import { credentials } from "./credentials.ts";
import { description } from "./description.ts";
import { invitations } from "./invitations.ts";
import { jobs } from "./jobs.ts";
import { keys } from "./keys.ts";
import { organizationAdministration } from "./organization-administration.ts";
import { organizationInvitations } from "./organization-invitations.ts";
import { organizations } from "./organizations.ts";
import { realtime } from "./realtime.ts";
import { teams } from "./teams.ts";
import type { RealmTraits } from "./traits.ts";
import { userAdministration } from "./user-administration.ts";

const ofAccounts = ({ auth }: RealmTraits): boolean => auth;
const ofOrganizations = ({ organizations }: RealmTraits): boolean => organizations !== undefined;

/** Every fixed route, by subject, in the order of OpenAPI documents; a subject stands with the realms that have it. */
const subjects: readonly (readonly [
  has: (traits: RealmTraits) => boolean,
  routes: readonly RouteContract[],
])[] = [
  [() => true, realtime],
  [ofAccounts, accounts],
  [ofAccounts, credentials],
  [ofAccounts, userAdministration],
  [ofAccounts, invitations],
  [ofOrganizations, organizations],
  [ofOrganizations, teams],
  [ofOrganizations, organizationInvitations],
  [ofOrganizations, organizationAdministration],
  [() => true, keys],
  [() => true, administration],
  [() => true, jobs],
  [({ openapi }) => openapi !== "off", description],
];

/** Those of all realms. */
export const contracts: readonly RouteContract[] = subjects.flatMap(([, routes]) => routes);

/** Those that a realm has. */
export function contractsOf(traits: RealmTraits): readonly RouteContract[] {
  return subjects
    .flatMap(([has, routes]) => (has(traits) ? routes : []))
    .filter(({ when }) => when?.(traits) !== false);
}
