/** `functions.ts` of a realm: the types that its functions share. */
import type { Collection, Realm, RealmFunction } from "../../compiler/model/model.ts";
import { typeName } from "../../compiler/schema/types.ts";
import { clientNames, collectionsOf, shapeName, stemOf } from "../client/names.ts";
import { shape } from "../client/shapes.ts";
import {
  type Code,
  code,
  docComment,
  type EmittedFile,
  emitModule,
  importedType,
  importsType,
  join,
  lines,
  literal,
  nothing,
  propertyKey,
} from "../print/code.ts";
import { shapeEndings } from "../server/types.ts";

export function functionTypesModules(realm: Realm): readonly EmittedFile[] {
  return realm.functions.length === 0 ? [] : [functionTypesModule(realm)];
}

function functionTypesModule(realm: Realm): EmittedFile {
  const names = clientNames(realm);
  const shapes = collectionsOf(realm).map((collection) => {
    const stem = stemOf(names, collection);
    const own = typeName(collection.name);
    const types = shapeEndings(collection).map((ending) =>
      importsType(
        `${own}${ending}`,
        `./${collection.database}/${collection.name}/types.ts`,
        `${stem}${ending}`,
      ),
    );
    return join([...types, shape(realm, collection, names, handlerType)], nothing);
  });
  return emitModule({
    path: `${realm.name}/functions.ts`,
    sources: [realm.name],
    body: lines([
      code`${docComment("What the collections hold and can do, by database. Functions are past the rules: nothing is hidden.")}export type Collections = {
        ${byDatabase(realm, (collection) => shapeName(names, collection))}
      };\n`,
      code`${docComment("The same as callers see it.")}export type Callers = {
        ${byDatabase(realm, (collection) => asSeen(collection, shapeName(names, collection)))}
      };\n`,
      code`${docComment("What `ctx.jobs.enqueue` gives to calls.")}export interface Calls {
        ${lines(realm.functions.filter(({ mode }) => mode === "call").map(inputOf))}
      }\n`,
      ...shapes,
    ]),
  });
}

function byDatabase({ databases }: Realm, type: (collection: Collection) => Code): Code {
  return lines(
    databases.map(({ name, collections }) => {
      const members = collections.map((each) => code`${propertyKey(each.name)}: ${type(each)};`);
      return code`${propertyKey(name)}: ${members.length === 0 ? code`Record<never, never>` : code`{ ${lines(members)} }`};`;
    }),
  );
}

function handlerType(name: string): Code {
  return importedType(name, "realmc/functions");
}

function asSeen(collection: Collection, own: Code): Code {
  const declared = new Set(collection.fields.map(({ path }) => path));
  const hidden = collection.fieldRules
    .filter(({ path, read }) => read !== undefined && declared.has(path))
    .map(({ path }) => path);
  const shape =
    hidden.length === 0
      ? own
      : code`${handlerType("Hiding")}<${own}, ${join(hidden.map(literal), code` | `)}>`;
  return code`${handlerType("ReadsAndWrites")}<${shape}>`;
}

function inputOf({ database, name }: RealmFunction): Code {
  const input = importedType(
    "Input",
    `./${database}/_func/${name}/$types.ts`,
    `${typeName(`${database}_${name}`)}Input`,
  );
  return code`${propertyKey(`${database}/${name}`)}: ${input};`;
}
