/** What the types of a realm's client are called. */

import type { Collection, Realm, RealmFunction } from "../../compiler/model/model.ts";
import { leadingTo } from "../../compiler/schema/place.ts";
import { type NamedSchema, typeName } from "../../compiler/schema/types.ts";
import { type Code, code, identifier } from "../print/code.ts";
import { Names } from "../print/names.ts";
import { collectionStems, functionStem } from "../server/names.ts";
import { typeEndings } from "../server/types.ts";
import { clientMethods } from "./contracted/methods.ts";
import { partsOf, typeIn } from "./contracted/parts.ts";
import { kindOf } from "./contracted/realms.ts";
import { runtimeNames } from "./runtime.ts";

export interface ClientNames {
  /** The name of a collection's content, which the names of its other types begin with. */
  readonly stems: ReadonlyMap<Collection, string>;
  /** What the types of a call's input and output are called, but for their ends. */
  readonly calls: ReadonlyMap<RealmFunction, string>;
  /** All that are given, or mean something else in the module. */
  readonly taken: Names;
}

/** Names that the part of the module which varies by realm declares. */
function declaredIn({ auth, organizations, functions }: Realm): readonly string[] {
  return [
    ...["Client", "Databases", "ErrorCode", "Held", "Object", "Profile", "Scope", "Shapes", "ThisRealm"],
    ...(functions.some(isCall) ? ["Calls"] : []),
    ...(auth ? ["Role"] : []),
    ...(organizations === undefined ? [] : ["OrganizationRole", "TeamRoleName", localAlias("Shown")]),
  ];
}

export function clientNames(realm: Realm): ClientNames {
  const taken = new Names();
  const aliased = aliasesOf(realm).map(({ name }) => localAlias(name));
  for (const name of [...declaredIn(realm), ...aliased, ...runtimeNames(realm)])
    if (/^[A-Z]/.test(name)) taken.claim(name);
  const stems = new Map(
    [...collectionStems(realm)].map(
      ([collection, stem]) =>
        [
          collection,
          taken.claimAll(typeName(stem), [...typeEndings(collection), "Fields", "Shape"]),
        ] as const,
    ),
  );
  const calls = new Map(
    callsOf(realm).map((fn) => {
      const stem = taken.claimAll(typeName(functionStem(fn)), ["Input", "Output"]);
      return [fn, stem] as const;
    }),
  );
  return { stems, calls, taken };
}

/** Functions that clients call. */
export function callsOf({ functions }: Realm): readonly RealmFunction[] {
  return functions.filter(isCall);
}

function isCall({ mode }: RealmFunction): boolean {
  return mode === "call";
}

/** The types of what a function takes and returns. */
export function callTypes(
  { calls }: ClientNames,
  fn: RealmFunction,
): { readonly input: Code; readonly output: Code } {
  const stem = calls.get(fn) ?? "";
  return {
    input: fn.input ? identifier(`${stem}Input`) : code`Record<string, never>`,
    output: fn.output === undefined ? code`unknown` : identifier(`${stem}Output`),
  };
}

/** Schemas of functions, by the names of their types. */
export function callSchemas({ calls }: ClientNames): readonly NamedSchema[] {
  return [...calls].flatMap(([{ input, output }, stem]) => [
    ...(input ? [{ name: `${stem}Input`, schema: leadingTo(input.schema) }] : []),
    ...(output === undefined ? [] : [{ name: `${stem}Output`, schema: leadingTo(output) }]),
  ]);
}

export function collectionsOf(realm: Realm): readonly Collection[] {
  return realm.databases.flatMap((database) => database.collections);
}

export function stemOf({ stems }: ClientNames, collection: Collection): string {
  return stems.get(collection) ?? "";
}

export function shapeName(names: ClientNames, collection: Collection): Code {
  return identifier(`${stemOf(names, collection)}Shape`);
}

/** What a type of `realmc/client` is called where the realm's own has its name. */
export function localAlias(name: string): string {
  return `${name}Of`;
}

/** A type of `realmc/client` that varies by realm, and what it is called in a realm's client. */
interface Alias {
  readonly name: string;
  readonly general: string;
}

/** In their order in a client. */
export function aliasesOf(realm: Realm): readonly Alias[] {
  const kind = kindOf(realm);
  const types = clientMethods().types.filter((type) => type.generic && type.kind <= kind);
  const same = ["AdministrationError", "KeyScopes", ...types.map(({ name }) => name)];
  const aliases = [
    ...same.map((name) => ({ name, general: name })),
    ...partsOf(realm).map((part) => ({ name: part.name, general: typeIn(part) })),
  ];
  return aliases.sort((a, b) => (a.name < b.name ? -1 : 1));
}
