import { accounts, accountsTag } from "./accounts.ts";
import { administration } from "./administration.ts";
import type { RouteContract } from "./contract.ts";
import { credentials } from "./credentials.ts";
import { description, descriptionTag } from "./description.ts";
import { dataTag } from "./document-administration.ts";
import { fileLinks, fileLinksTag } from "./file-links.ts";
import { functions } from "./functions.ts";
import { invitations } from "./invitations.ts";
import { administrationTag, jobs } from "./jobs.ts";
import { keys } from "./keys.ts";
import { organizationsTag } from "./members.ts";
import { migrations } from "./migrations.ts";
import { organizationAdministration } from "./organization-administration.ts";
import { organizationInvitations } from "./organization-invitations.ts";
import { organizationKeys } from "./organization-keys.ts";
import { organizations } from "./organizations.ts";
import { realtime, realtimeTag } from "./realtime.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";
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
  [({ storage }) => storage !== undefined, fileLinks],
  [ofAccounts, accounts],
  [ofAccounts, credentials],
  [ofAccounts, tokens],
  [ofAccounts, userAdministration],
  [ofAccounts, invitations],
  [ofOrganizations, organizations],
  [ofOrganizations, teams],
  [ofOrganizations, organizationInvitations],
  [ofOrganizations, organizationKeys],
  [ofOrganizations, organizationAdministration],
  [() => true, keys],
  [() => true, administration],
  [() => true, jobs],
  [() => true, migrations],
  [({ functions: own = [] }) => own.length > 0, functions],
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

/** What operations are listed under beside collections and databases, in the order of OpenAPI documents. */
export const realmTags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: realtimeTag,
    description: "Changes as they happen, of the collections that can be followed.",
  },
  { name: fileLinksTag, description: "Files for whoever has the address, for a while." },
  { name: accountsTag, description: "The caller's own account and sessions." },
  {
    name: organizationsTag,
    description:
      "Organizations of the realm's users, for sessions only. Who is no member of one is answered the same whether or not it is there.",
  },
  {
    name: administrationTag,
    description:
      "For API keys and sessions that administer the area named. Not there (404) where the server has it switched off. Every change leaves an audit record.",
  },
  {
    name: dataTag,
    description:
      "All documents, past the access rules, for administrators of the area `data`; API keys stay within their scopes. Every write leaves an audit record.",
  },
  { name: descriptionTag, description: "This document." },
];
