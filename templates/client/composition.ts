/** What a client is made of: `createClient` for all of it, and its parts by themselves. */
import type { Realm } from "../../compiler/model/model.ts";
import {
  type Code,
  code,
  docComment,
  identifier,
  lines,
  member,
  object,
  property,
  propertyKey,
  when,
} from "../print/code.ts";
import { factoryOf, isInner, type Part, partsOf } from "./contracted/parts.ts";
import { followable, orderKinds } from "./following.ts";
import { type ClientNames, callsOf, callTypes, shapeName } from "./names.ts";
import { part, runtimeModule, shared } from "./printing.ts";

/** Its functions and their types. */
export function composition(realm: Realm, names: ClientNames): Code {
  return lines([
    factory(realm),
    client(realm),
    connection(realm),
    databases(realm, names),
    calls(realm, names),
    realtime(realm, names),
  ]);
}

function factory(realm: Realm): Code {
  const { name, databases: all } = realm;
  const others = outerParts(realm)
    .map(({ path, serves }) => `\`${path}\` for ${serves}`)
    .join(", ");
  const about = docComment(`A client of realm ${name}: \`client.<database>.<collection>\`, ${others}.`);
  const isFollowed = followable(realm).length > 0;
  const members = [
    ...(isFollowed ? followedDatabases(realm) : [when(all.length > 0, () => code`...databases(connected)`)]),
    ...(callsOf(realm).length > 0 ? [property(callMember(realm), code`calls(connected)`)] : []),
    ...outerParts(realm).map((each) => {
      const made = code`${part(factoryOf(each))}(connected)`;
      return property(
        each.path,
        each.name === administration && all.length > 0
          ? code`Object.assign(${made}, { data: databases(${part("administered")}(connected)) })`
          : made,
      );
    }),
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

/** What clients call the type of what also has all documents. */
const administration = "Administration";

/** What a client has beside its databases. */
function outerParts(realm: Realm): readonly Part[] {
  return partsOf(realm).filter((each) => !isInner(each));
}

function client(realm: Realm): Code {
  const { length } = realm.databases;
  const data = when(
    length > 0,
    () =>
      code` & { ${docComment("All documents, past the access rules.")}readonly data: Databases<${shared("AdministratorError")}<ThisRealm>> }`,
  );
  const isFollowed = followable(realm).length > 0;
  const followed = code`${shared("FollowedDatabases")}<Shapes>`;
  const both = isFollowed && hasFiles(realm);
  const held = both ? code`Held` : isFollowed ? followed : code`Databases`;
  const others = outerParts(realm).map(
    ({ path, name }) =>
      code`readonly ${identifier(path)}: ${identifier(name)}${when(name === administration, () => data)};`,
  );
  return code`${when(both, () => code`type Held = ${followed} & ${shared("FiledOf")}<Shapes>;\n\n`)}export interface Client ${when(length > 0, () => code`extends ${held} `)}{
    ${when(callsOf(realm).length > 0, () => code`${docComment("The functions that can be called.")}readonly ${identifier(callMember(realm))}: ${shared("CallsOf")}<Calls>;\n`)}${lines(others)}
  }\n`;
}

/** Where functions are in a client: what is not a database begins with `$` where one has its name. */
function callMember({ databases: all }: Realm): string {
  return all.some(({ name }) => name === "call") ? "$call" : "call";
}

/** The functions that can be called, by database. */
function calls(realm: Realm, names: ClientNames): Code {
  const called = callsOf(realm);
  const all = [...new Set(called.map(({ database }) => database))].map(
    (database) => [database, called.filter((fn) => fn.database === database)] as const,
  );
  const types = all.map(([database, functions]) => {
    const shapes = functions.map((fn) => {
      const { input, output } = callTypes(names, fn);
      const members = code`input: ${input}; output: ${output}; idempotency: ${fn.idempotency}`;
      return code`${propertyKey(fn.name)}: { ${members} };`;
    });
    return code`${propertyKey(database)}: { ${lines(shapes)} };`;
  });
  const values = all.map(([database, functions]) =>
    property(
      database,
      object(
        functions.map(({ name, idempotency }) => {
          const own = when(idempotency !== "optional", () => code`, ${idempotency}`);
          return property(name, code`${part("callable")}(connected, ${database}, ${name}${own})`);
        }),
      ),
    ),
  );
  return when(
    all.length > 0,
    () => code`${docComment("What functions take and return, by database.")}export type Calls = {
      ${lines(types)}
    };

    ${docComment("The functions that can be called, by database.")}export function calls(connected: ${connectedType}): ${shared("CallsOf")}<Calls> {
      return ${object(values)};
    }\n`,
  );
}

function connection(realm: Realm): Code {
  // What is called as the first class of its place is exported as all clients call it.
  const renamed = lines(
    outerParts(realm)
      .filter(({ name, type }) => name !== type)
      .map(
        ({ name, type }) =>
          code`export { ${identifier(factoryOf({ type }))} as ${identifier(factoryOf({ type: name }))} } from ${runtimeModule};\n`,
      ),
  );
  return code`${docComment("What `collection`, `batches`, `administration`, … are given where a page is to hold only what it uses.")}export function connect(options: ${shared("ClientOptions")}): ${connectedType} {
    return ${part("connectTo")}<ThisRealm>(${realm.name}, ${realm.auth}, options);
  }

  ${renamed}`;
}

const connectedType = code`${shared("Connected")}<ThisRealm>`;

function hasFiles({ databases: all }: Pick<Realm, "databases">): boolean {
  return all.some(({ collections }) => collections.some(({ files }) => files !== undefined));
}

function databases(realm: Realm, names: ClientNames): Code {
  const { databases: all } = realm;
  const types = all.map(({ name, collections }) => {
    const shapes = collections.map((each) => code`${propertyKey(each.name)}: ${shapeName(names, each)};`);
    return code`${propertyKey(name)}: { ${lines(shapes)} };`;
  });
  const values = all.map(({ name, collections }) =>
    property(
      name,
      object([
        code`...${part("batches")}(connected, ${name})`,
        ...collections.map((each) => {
          const arguments_ = code`(connected, ${name}, ${each.name})`;
          const documents = code`${part("collection")}${arguments_}`;
          return property(
            each.name,
            each.files === undefined
              ? documents
              : code`Object.assign(${documents}, ${part("files")}${arguments_})`,
          );
        }),
      ]),
    ),
  );
  const shapes = code`${docComment("What the collections hold and can do, by database.")}export type Shapes = {
    ${lines(types)}
  };\n`;
  if (all.length === 0) return shapes;
  return code`${shapes}
  export type Databases<Further extends ErrorCode = never> = ${shared("DatabasesOf")}<Shapes, Further>${when(hasFiles(realm), () => code` & ${shared("FiledOf")}<Shapes, Further>`)};

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
