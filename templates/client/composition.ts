/** What a client is made of: `createClient` for all of it, and its parts by themselves. */
import type { Realm } from "../../compiler/model/model.ts";
import {
  type Code,
  code,
  docComment,
  given,
  identifier,
  lines,
  member,
  object,
  property,
  propertyKey,
  when,
} from "../print/code.ts";
import { followable, orderKinds } from "./following.ts";
import { type ClientNames, shapeName } from "./names.ts";
import { part, runtimeModule, shared } from "./printing.ts";

/** Its functions and their types. */
export function composition(realm: Realm, names: ClientNames): Code {
  return lines([
    factory(realm),
    client(realm),
    connection(realm),
    databases(realm, names),
    realtime(realm, names),
  ]);
}

function factory(realm: Realm): Code {
  const { name, auth, organizations, databases: all } = realm;
  const others = [
    ...(auth ? ["`$auth` for the caller's account"] : []),
    ...(organizations === undefined ? [] : ["`$orgs` for organizations"]),
    "`$admin` for administrators",
  ].join(", ");
  const about = docComment(`A client of realm ${name}: \`client.<database>.<collection>\`, ${others}.`);
  const administrator = code`${part(administrationOf(realm).factory)}(connected)`;
  const isFollowed = followable(realm).length > 0;
  const members = [
    ...(isFollowed ? followedDatabases(realm) : [when(all.length > 0, () => code`...databases(connected)`)]),
    when(auth, () => property("$auth", code`${part("accounts")}(connected)`)),
    given(organizations, () => property("$orgs", code`${part("organizations")}(connected)`)),
    property(
      "$admin",
      all.length > 0
        ? code`Object.assign(${administrator}, { data: databases(${part("administered")}(connected)) })`
        : administrator,
    ),
  ];
  return code`${about}export function createClient(options: ${shared("ClientOptions")}${when(isFollowed, () => code` & ${shared("RealtimeOptions")}`)}): Client {
    const connected = connect(options);
    ${when(isFollowed, () => code`const stored = databases(connected);\nconst followed = realtime(connected, options);\n`)}return ${object(members)};
  }\n`;
}

/** Where collections can be followed, they are given what that takes. */
function followedDatabases({ databases: all }: Realm): readonly Code[] {
  const followed = all.flatMap(({ name, collections }) => {
    const [whole, live] = [member(code`stored`, name), member(code`followed`, name)];
    const each = collections
      .filter(({ realtime }) => realtime !== undefined)
      .map((collection) =>
        property(
          collection.name,
          code`Object.assign(${member(whole, collection.name)}, ${member(live, collection.name)})`,
        ),
      );
    return each.length === 0 ? [] : property(name, object([code`...${whole}`, ...each]));
  });
  return [code`...stored`, ...followed];
}

/** What `$admin` is: the name of its type, and of what makes it. */
export function administrationOf({ auth, organizations }: Realm): {
  readonly type: string;
  readonly factory: string;
} {
  if (organizations !== undefined)
    return { type: "OrganizationAdministration", factory: "organizationAdministration" };
  if (auth) return { type: "PeopleAdministration", factory: "peopleAdministration" };
  return { type: "Administration", factory: "administration" };
}

function client(realm: Realm): Code {
  const { auth, organizations, databases: all } = realm;
  const { length } = all;
  const data = when(
    length > 0,
    () =>
      code` & { ${docComment("All documents, past the access rules.")}readonly data: Databases<${shared("AdministratorError")}<ThisRealm>> }`,
  );
  const held = followable(realm).length > 0 ? code`${shared("FollowedDatabases")}<Shapes>` : code`Databases`;
  return code`export interface Client ${when(length > 0, () => code`extends ${held} `)}{
    ${when(auth, () => code`readonly $auth: Accounts;\n`)}${given(organizations, () => code`readonly $orgs: Organizations;\n`)}readonly $admin: Administration${data};
  }\n`;
}

function connection(realm: Realm): Code {
  const { factory } = administrationOf(realm);
  const renamed = when(
    factory !== "administration",
    () => code`export { ${identifier(factory)} as administration } from ${runtimeModule};\n`,
  );
  return code`${docComment("What `collection`, `batches`, `administration`, … are given where a page is to hold only what it uses.")}export function connect(options: ${shared("ClientOptions")}): ${connectedType} {
    return ${part("connectTo")}<ThisRealm>(${realm.name}, ${realm.auth}, options);
  }

  ${renamed}`;
}

const connectedType = code`${shared("Connected")}<ThisRealm>`;

function databases({ databases: all }: Realm, names: ClientNames): Code {
  const types = all.map(({ name, collections }) => {
    const shapes = collections.map((each) => code`${propertyKey(each.name)}: ${shapeName(names, each)};`);
    return code`${propertyKey(name)}: { ${lines(shapes)} };`;
  });
  const values = all.map(({ name, collections }) =>
    property(
      name,
      object([
        code`...${part("batches")}(connected, ${name})`,
        ...collections.map((each) =>
          property(each.name, code`${part("collection")}(connected, ${name}, ${each.name})`),
        ),
      ]),
    ),
  );
  const shapes = code`${docComment("What the collections hold and can do, by database.")}export type Shapes = {
    ${lines(types)}
  };\n`;
  if (all.length === 0) return shapes;
  return code`${shapes}
  export type Databases<Further extends ErrorCode = never> = ${shared("DatabasesOf")}<Shapes, Further>;

  function databases<Further extends ErrorCode>(connected: ${shared("Connected")}<ThisRealm, Further>): Databases<Further> {
    return ${object(values)};
  }\n`;
}

function realtime(realm: Realm, names: ClientNames): Code {
  const all = realm.databases.flatMap(({ name, collections }) => {
    const each = collections.flatMap((collection) => {
      if (collection.realtime === undefined) return [];
      const kinds = object(orderKinds(realm, collection).map(([path, kind]) => property(path, kind)));
      const call = code`${part("following")}<${shapeName(names, collection)}>(streams, ${name}, ${collection.name}, ${kinds})`;
      return property(collection.name, call);
    });
    return each.length === 0 ? [] : property(name, object(each));
  });
  return when(
    all.length > 0,
    () => code`${docComment("`live` and `subscribe` of the collections that can be followed, by database.")}export function realtime(
      connected: ${connectedType},
      options?: ${shared("RealtimeOptions")},
    ): ${shared("FollowedOf")}<Shapes> {
      const streams = new ${part("Streams")}(connected, options);
      return ${object(all)};
    }\n`,
  );
}
