/** `client.ts`: the realm's types, and what of `realmc/client` its client is made of. */
import type { Realm } from "../../compiler/model/model.ts";
import { typesOf } from "../../compiler/schema/types.ts";
import { looserInput } from "../../compiler/settings/defaults.ts";
import { code, type EmittedFile, emitModule, lines, madeElsewhere } from "../print/code.ts";
import { composition } from "./composition.ts";
import { callSchemas, clientNames, collectionsOf, stemOf } from "./names.ts";
import { runtimeModule } from "./printing.ts";
import { choices, realmTypes } from "./realm-types.ts";
import { documents, shape } from "./shapes.ts";

export async function clientModule(realm: Realm, codes: readonly string[]): Promise<EmittedFile> {
  const names = clientNames(realm);
  const collections = collectionsOf(realm);
  const roots = collections.flatMap((collection) => {
    const name = stemOf(names, collection);
    const input = looserInput(collection);
    const written = input === undefined ? [] : [{ name: `${name}Input`, schema: input }];
    return [{ name, schema: collection.schema }, ...written];
  });
  const profiles = realm.profile === undefined ? [] : [{ name: "Profile", schema: realm.profile }];
  return emitModule({
    path: `${realm.name}/client.ts`,
    sources: [realm.name],
    body: lines([
      code`export * from ${runtimeModule};\n`,
      composition(realm, names),
      realmTypes(realm),
      ...collections.map((collection) => shape(realm, collection, names)),
      madeElsewhere(`${await typesOf([...roots, ...profiles, ...callSchemas(names)], names.taken)}\n`),
      ...collections.map((collection) => code`${documents(realm, collection, names)}\n`),
      choices(realm, codes),
    ]),
  });
}
