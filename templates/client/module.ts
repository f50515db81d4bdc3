/** `client.ts`, as far as it varies by realm; what does not is in `client/`. */

import { type KnownField, knownField } from "../../compiler/model/known-fields.ts";
import type { Aggregation, Collection, Realm } from "../../compiler/model/model.ts";
import { serverFieldTables } from "../../compiler/model/server-fields.ts";
import { typesOf } from "../../compiler/schema/types.ts";
import { errorStatus } from "../../runtime/errors.ts";
import {
  type Code,
  code,
  docComment,
  type EmittedFile,
  emitModule,
  given,
  identifier,
  join,
  lines,
  literal,
  madeElsewhere,
  member,
  object,
  property,
  propertyKey,
  when,
} from "../print/code.ts";
import { documentTypes } from "../server/types.ts";
import { conditionType, valueType } from "./conditions.ts";
import { followable, orderKinds, ordersOf, realtimeCodes } from "./following.ts";
import { type ClientNames, clientNames } from "./names.ts";

/** @param invariant the text that is to stand after it, with which names must not clash */
export async function clientModule(realm: Realm, invariant: string): Promise<EmittedFile> {
  const names = clientNames(realm, invariant);
  const collections = collectionsOf(realm);
  const roots = collections.map((collection) => ({
    name: stemOf(names, collection),
    schema: collection.schema,
  }));
  const profiles = realm.profile === undefined ? [] : [{ name: "Profile", schema: realm.profile }];
  return emitModule({
    path: `${realm.name}/client.ts`,
    sources: [realm.name],
    body: lines([
      factory(realm, names),
      client(realm),
      when(collections.length > 0, () => databases(realm, names)),
      ...collections.map((collection) => shape(realm, collection, names)),
      madeElsewhere(`${await typesOf([...roots, ...profiles], names.taken)}\n`),
      ...collections.map((collection) => code`${documents(realm, collection, names)}\n`),
      choices(realm),
    ]),
  });
}

function factory(realm: Realm, names: ClientNames): Code {
  const { name, auth, organizations, databases: all } = realm;
  const { length } = all;
  const administrator = code`new ${administrationOf(realm)}(connection)`;
  const others = [
    ...(auth ? ["`$auth` for the caller's account"] : []),
    ...(organizations === undefined ? [] : ["`$orgs` for organizations"]),
    "`$admin` for administrators",
  ].join(", ");
  const about = docComment(`A client of realm ${name}: \`client.<database>.<collection>\`, ${others}.`);
  const members = [
    when(auth, () => property("$auth", code`new Accounts(connection)`)),
    given(organizations, () => property("$orgs", code`new Organizations(connection)`)),
    property(
      "$admin",
      length > 0
        ? code`Object.assign(${administrator}, {
            data: databases<AdministratorError>(connection, "_admin/data/"),
          })`
        : administrator,
    ),
  ];
  if (followable(realm).length > 0) return followingFactory(realm, names, about, members);
  return code`${about}export function createClient(options: ClientOptions): Client {
    const connection = new Connection(${name}, ${auth}, options);
    return ${object([when(length > 0, () => code`...databases(connection, "")`), ...members])};
  }\n`;
}

/** Where collections can be followed, they are given what that takes. */
function followingFactory(realm: Realm, names: ClientNames, about: Code, members: readonly Code[]): Code {
  const followed = realm.databases.flatMap(({ name, collections }) => {
    const whole = member(code`all`, name);
    const each = collections.flatMap((collection) => {
      if (collection.realtime === undefined) return [];
      const kinds = object(orderKinds(realm, collection).map(([path, kind]) => property(path, kind)));
      const call = code`following<${shapeName(names, collection)}>(streams, ${name}, ${collection.name}, ${kinds})`;
      return property(collection.name, code`Object.assign(${member(whole, collection.name)}, ${call})`);
    });
    return each.length === 0 ? [] : property(name, object([code`...${whole}`, ...each]));
  });
  return code`${about}export function createClient(options: ClientOptions & RealtimeOptions): Client {
    const connection = new StreamConnection(${realm.name}, ${realm.auth}, options);
    const streams = new Streams(connection, options);
    const all: Databases = databases(connection, "");
    return ${object([code`...all`, ...followed, ...members])};
  }\n`;
}

/** The class of `$admin`. */
function administrationOf({ auth, organizations }: Realm): Code {
  if (organizations !== undefined) return code`OrganizationAdministration`;
  return auth ? code`PeopleAdministration` : code`Administration`;
}

function client(realm: Realm): Code {
  const { auth, signup, totp, organizations, databases: all } = realm;
  const { length } = all;
  const missing = [
    ...(signup === "closed" ? ["signUp"] : []),
    ...(totp ? [] : ["enrolTotp", "confirmTotp", "renewRecoveryCodes", "removeTotp"]),
  ];
  const accounts =
    missing.length === 0 ? code`Accounts` : code`Omit<Accounts, ${unionOf(missing.map(literal))}>`;
  const data = when(
    length > 0,
    () =>
      code` & { ${docComment("All documents, past the access rules.")}readonly data: Databases<AdministratorError> }`,
  );
  const held = followable(realm).length > 0 ? code`FollowedDatabases<Shapes>` : code`Databases`;
  return code`export interface Client ${when(length > 0, () => code`extends ${held} `)}{
    ${when(auth, () => code`readonly $auth: ${accounts};\n`)}${given(organizations, () => code`readonly $orgs: Organizations;\n`)}readonly $admin: ${administrationOf(realm)}${data};
  }\n`;
}

function databases({ databases: all }: Realm, names: ClientNames): Code {
  const types = all.map(({ name, collections }) => {
    const shapes = collections.map((each) => code`${propertyKey(each.name)}: ${shapeName(names, each)};`);
    return code`${propertyKey(name)}: { ${lines(shapes)} };`;
  });
  const values = all.map(({ name, collections }) =>
    property(
      name,
      object([
        code`...batching<Shapes[${name}], Further>(connection, base + ${name})`,
        ...collections.map((each) =>
          property(
            each.name,
            code`new Collection<${shapeName(names, each)}, Further>(connection, base + ${`${name}/${each.name}`})`,
          ),
        ),
      ]),
    ),
  );
  return code`${docComment("What the collections hold and can do, by database.")}export type Shapes = {
    ${lines(types)}
  };

  export type Databases<Further extends ErrorCode = never> = DatabasesOf<Shapes, Further>;

  function databases<Further extends ErrorCode>(connection: Connection, base: string): Databases<Further> {
    return ${object(values)};
  }\n`;
}

/** A collection for the types that do not vary: what it holds, and what it can do. */
function shape(realm: Realm, collection: Collection, names: ClientNames): Code {
  const stem = stemOf(names, collection);
  const references = collection.references.flatMap(({ name, database, collection: target, many }) => {
    const found = collectionsOf(realm).find((each) => each.database === database && each.name === target);
    if (found === undefined) return [];
    return code`${propertyKey(name)}: ${many ? code`Many` : code`One`}<${shapeName(names, found)}>;`;
  });
  return code`export interface ${identifier(`${stem}Shape`)} {
    document: ${identifier(`${stem}Document`)};
    content: ${identifier(stem)};
    create: ${identifier(`${stem}Create`)};
    patch: ${identifier(`${stem}Patch`)};
    fields: ${identifier(`${stem}Fields`)};
    references: ${references.length === 0 ? code`object` : code`{ ${lines(references)} }`};
    traits: ${unionOf(traits(realm, collection).map(literal))};
    ${given(collection.realtime, () => code`orders: ${unionOf(ordersOf(realm, collection).map(literal))};\n`)}aggregation: ${aggregationType(realm, collection)};
  }

  ${docComment("What queries may say of each field.")}export interface ${identifier(`${stem}Fields`)} extends ${serverFieldTypes(realm, collection)} {
    ${lines(collection.fields.map((field) => code`${propertyKey(field.path)}: ${conditionType(field)};`))}
  }\n`;
}

function traits({ auth }: Realm, collection: Collection): readonly string[] {
  return [
    ...(auth ? ["accounts"] : []),
    ...(collection.aggregate ? ["aggregate"] : []),
    ...(collection.customId ? ["custom_id"] : []),
    ...(collection.text ? ["search"] : []),
    ...organizationTraits(collection),
    ...(collection.softDelete ? ["trash"] : []),
    ...(collection.indexes.some(({ unique }) => unique) ? ["unique"] : []),
  ];
}

function organizationTraits({ organization }: Collection): readonly string[] {
  if (organization === undefined) return [];
  const { required, teams } = organization;
  return [
    "organization",
    ...(required ? ["organization_required"] : []),
    ...(teams === undefined ? [] : ["team"]),
    ...(teams === "required" ? ["team_required"] : []),
  ];
}

function serverFieldTypes({ auth }: Realm, collection: Collection): Code {
  const tables = serverFieldTables(auth, collection);
  const [last] = chained.filter(([table]) => tables.includes(table));
  return join([
    given(last, ([, type]) => type),
    when(tables.includes("deletionFields"), () => code`DeletionFields`),
    when(tables.includes("unownedDeletionFields"), () => code`Omit<DeletionFields, "_meta.deleted_by">`),
  ]);
}

/** Each of them has those after it. */
const chained = [
  ["teamFields", code`TeamFields`],
  ["organizationFields", code`OrganizationFields`],
  ["ownershipFields", code`OwnershipFields`],
  ["documentFields", code`DocumentFields`],
] as const;

function aggregationType(realm: Realm, collection: Collection): Code {
  const { aggregate } = collection;
  if (aggregate === undefined) return code`{ keys: object; by: never; metrics: object }`;
  const fieldAt = (path: string): KnownField | undefined => knownField(realm, collection, path);
  const keys = aggregate.groupBy.flatMap((path) => {
    const field = fieldAt(path);
    return field === undefined ? [] : [{ path, field }];
  });
  return code`{
    keys: ${members(keys.map(({ path, field }) => [path, valueType(field)] as const))};
    by: ${unionOf(keys.flatMap(({ path, field }) => groupings(path, field)))};
    metrics: ${members(metrics(aggregate, fieldAt))};
  }`;
}

function groupings(path: string, { kinds, arrays }: KnownField): readonly Code[] {
  const instants = kinds.includes("date-time");
  if (arrays.length > 0 || (!instants && !kinds.includes("date"))) return [literal(path)];
  return [code`Periods<${path}>`, ...(instants ? [literal(`${path}:hour`)] : [])];
}

function metrics(
  { metrics: measured }: Aggregation,
  fieldAt: (path: string) => KnownField | undefined,
): readonly (readonly [string, Code])[] {
  const each = measured.flatMap(({ path, functions }) =>
    functions.map((name) => {
      const whole = name === "sum" || name === "distinct";
      const value =
        name === "min" || name === "max" ? valueType(fieldAt(path) ?? { kinds: [] }) : code`number`;
      return [`${name}:${path}`, whole ? code`number` : code`${value} | null`] as const;
    }),
  );
  return [["count", code`number`], ...each];
}

function members(entries: readonly (readonly [string, Code])[]): Code {
  if (entries.length === 0) return code`object`;
  return code`{ ${lines(entries.map(([name, type]) => code`${propertyKey(name)}: ${type};`))} }`;
}

function documents({ auth }: Realm, collection: Collection, names: ClientNames): Code {
  const stem = stemOf(names, collection);
  const declared = new Set(collection.fields.map(({ path }) => path));
  const hidden = collection.fieldRules
    .filter(({ path, read }) => read !== undefined && declared.has(path))
    .map(({ path }) => path);
  const seen =
    hidden.length === 0
      ? identifier(stem)
      : code`Partly<${identifier(stem)}, ${unionOf(hidden.map(literal))}>`;
  return documentTypes(collection, auth, stem, identifier, seen);
}

/** What `client/realm.ts` stands for. */
function choices(realm: Realm): Code {
  const { auth, roles, profile, signup, sessions, organizations, databases: all } = realm;
  const scopes = all.flatMap(({ name, collections }) => [
    name,
    ...collections.map((collection) => `${name}/${collection.name}`),
  ]);
  const named = (values: readonly string[]): Code =>
    values.length === 0 ? code`string` : unionOf(values.map(literal));
  const isFollowed = followable(realm).length > 0;
  const codes = Object.keys(errorStatus).filter((each) => isFollowed || !realtimeCodes.has(each));
  return lines([
    code`${docComment("What the server says is wrong, for programs.")}export type ErrorCode = ${unionOf(codes.map(literal))};\n`,
    code`type Refusal = ${auth ? code`"unauthenticated" | "forbidden"` : code`never`};`,
    code`type AdministratorError =
      "unauthenticated" | "forbidden" | ${when(auth, () => code`"reauth_required" | `)}"not_found";\n`,
    code`${docComment("What an API key may be limited to.")}export type Scope = ${named(scopes)};\n`,
    when(auth, () =>
      lines([
        code`export type Role = ${named(roles.map(({ name }) => name))};\n`,
        when(profile === undefined, () => code`export type Profile = Record<string, unknown>;\n`),
        code`type InvitationChoice = { invitation${signup === "invite" ? code`: string` : code`?: string | undefined`} };`,
        code`type CookieChoice = ${sessions.cookie ? code`{ cookie?: boolean | undefined }` : code`object`};`,
      ]),
    ),
    given(organizations, (settings) =>
      lines([
        code`\nexport type OrganizationRole = ${named(settings.roles.map(({ name }) => name))};`,
        code`export type TeamRoleName = ${named(settings.teamRoles.map(({ name }) => name))};`,
      ]),
    ),
  ]);
}

function unionOf(types: readonly Code[]): Code {
  return types.length === 0 ? code`never` : join(types, code` | `);
}

function collectionsOf(realm: Realm): readonly Collection[] {
  return realm.databases.flatMap((database) => database.collections);
}

function stemOf({ stems }: ClientNames, collection: Collection): string {
  return stems.get(collection) ?? "";
}

function shapeName(names: ClientNames, collection: Collection): Code {
  return identifier(`${stemOf(names, collection)}Shape`);
}
