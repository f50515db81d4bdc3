/** What the types that do not vary by themselves are told of a realm, and what they are there. */
import type { Realm } from "../../compiler/model/model.ts";
import {
  type Code,
  code,
  docComment,
  given,
  identifier,
  importedType,
  lines,
  literal,
  madeElsewhere,
  propertyKey,
  when,
} from "../print/code.ts";
import { variedIn } from "./contracted/methods.ts";
import { unansweredIn } from "./contracted/parts.ts";
import { kindOf, realmKinds } from "./contracted/realms.ts";
import { aliasesOf, localAlias } from "./names.ts";
import { runtimeModule, shared, unionOf } from "./printing.ts";

/** `ThisRealm`, and the types of `realmc/client` that are made of it. */
export function realmTypes(realm: Realm): Code {
  const { auth, organizations } = realm;
  const base = realmKinds[kindOf(realm)];
  const { codes, bodies } = variedIn(realm);
  const members = [
    code`shapes: Shapes;`,
    code`accounts: ${auth};`,
    code`scope: Scope;`,
    code`unanswered: ${unionOf(unansweredIn(realm).map(literal))};`,
    varied(
      "codes",
      codes.map(([id, each]) => [id, unionOf(each.map(literal))]),
    ),
    varied(
      "bodies",
      bodies.map(([id, type]) => [id, madeElsewhere(type)]),
    ),
    when(auth, () => lines([code`role: Role;`, code`profile: Profile;`])),
    given(organizations, ({ membersShow }) =>
      lines([
        code`organizationRole: OrganizationRole;`,
        code`teamRole: TeamRoleName;`,
        code`memberProfile: ${
          membersShow.length === 0
            ? code`never`
            : code`${importedType("Shown", runtimeModule, localAlias("Shown"))}<Profile, ${unionOf(membersShow.map(literal))}>`
        };`,
      ]),
    ),
  ];
  const aliases = aliasesOf(realm).map(({ name, general }) => {
    const type = importedType(general, runtimeModule, localAlias(name));
    return code`export type ${identifier(name)} = ${type}<ThisRealm>;`;
  });
  return code`${docComment("What this realm is to the types of its client.")}export interface ThisRealm extends ${shared(base)} {
    ${lines(members)}
  }\n
  ${lines(aliases)}\n`;
}

/** By the ids of the operations that vary. */
function varied(name: string, members: readonly (readonly [id: string, type: Code])[]): Code {
  const each = members.map(([id, type]) => code`${propertyKey(id)}: ${type};`);
  return when(each.length > 0, () => code`${identifier(name)}: { ${lines(each)} };`);
}

/** Functions of a database that requests have run, as scopes name them. */
function callsAndWebhooks({ functions }: Realm, database: string): readonly string[] {
  const own = functions.filter((fn) => fn.database === database && fn.mode !== "event");
  return own.map(({ name }) => `${database}/${name}`);
}

/** Names that configuration gives. */
export function choices(realm: Realm, codes: readonly string[]): Code {
  const { auth, roles, profile, organizations, databases: all } = realm;
  const scopes = all.flatMap(({ name, collections }) => [
    name,
    ...collections.map((collection) => `${name}/${collection.name}`),
    ...callsAndWebhooks(realm, name),
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
