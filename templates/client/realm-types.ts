/** What the types that do not vary by themselves are told of a realm, and what they are there. */
import type { Realm } from "../../compiler/model/model.ts";
import { accounts } from "../../runtime/contract/accounts.ts";
import { credentials } from "../../runtime/contract/credentials.ts";
import {
  type Code,
  code,
  docComment,
  given,
  identifier,
  importedType,
  lines,
  literal,
  nothing,
  when,
} from "../print/code.ts";
import { administrationOf } from "./composition.ts";
import { aliasesOf, localAlias } from "./names.ts";
import { runtimeModule, shared, unionOf } from "./printing.ts";

/** `ThisRealm`, and the types of `realmc/client` that are made of it. */
export function realmTypes(realm: Realm): Code {
  const { auth, signup, sessions, organizations } = realm;
  const missing = [...accounts, ...credentials].filter(({ when: has }) => has?.(realm) === false);
  const unanswered = missing.flatMap(({ client }) => client?.split(".").slice(1) ?? []);
  const base =
    organizations !== undefined ? "RealmWithOrganizations" : auth ? "RealmWithAccounts" : "RealmTypes";
  const optional = signup === "invite" ? code`string` : code`string | undefined`;
  const members = [
    code`shapes: Shapes;`,
    code`accounts: ${auth};`,
    code`scope: Scope;`,
    when(auth, () =>
      lines([
        code`role: Role;`,
        code`profile: Profile;`,
        code`signUp: { invitation${signup === "invite" ? nothing : code`?`}: ${optional} };`,
        code`session: ${sessions.cookie ? code`{ cookie?: boolean | undefined }` : code`object`};`,
        code`unanswered: ${unionOf(unanswered.map(literal))};`,
      ]),
    ),
    given(organizations, () =>
      lines([code`organizationRole: OrganizationRole;`, code`teamRole: TeamRoleName;`]),
    ),
  ];
  const aliases = aliasesOf(realm).map((name) => {
    const type = importedType(generalOf(realm, name), runtimeModule, localAlias(name));
    return code`export type ${identifier(name)} = ${type}<ThisRealm>;`;
  });
  return code`${docComment("What this realm is to the types of its client.")}export interface ThisRealm extends ${shared(base)} {
    ${lines(members)}
  }\n
  ${lines(aliases)}\n`;
}

/** What the realm's type is a case of. */
function generalOf(realm: Realm, name: string): string {
  if (name === "Administration") return administrationOf(realm).type;
  return name === "Accounts" ? "AccountsOf" : name;
}

/** Names that configuration gives. */
export function choices(realm: Realm, codes: readonly string[]): Code {
  const { auth, roles, profile, organizations, databases: all } = realm;
  const scopes = all.flatMap(({ name, collections }) => [
    name,
    ...collections.map((collection) => `${name}/${collection.name}`),
  ]);
  const named = (values: readonly string[]): Code =>
    values.length === 0 ? code`string` : unionOf(values.map(literal));
  return lines([
    code`${docComment("What the server says is wrong, for programs.")}export type ErrorCode = ${unionOf(codes.map(literal))};\n`,
    code`${docComment("What an API key may be limited to.")}export type Scope = ${named(scopes)};\n`,
    when(auth, () =>
      lines([
        code`export type Role = ${named(roles.map(({ name }) => name))};\n`,
        when(profile === undefined, () => code`export type Profile = Record<string, unknown>;\n`),
      ]),
    ),
    given(organizations, (settings) =>
      lines([
        code`export type OrganizationRole = ${named(settings.roles.map(({ name }) => name))};`,
        code`export type TeamRoleName = ${named(settings.teamRoles.map(({ name }) => name))};`,
      ]),
    ),
  ]);
}
