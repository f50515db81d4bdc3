import type { Realm } from "../../../compiler/model/model.ts";
import { below, isPart, type Place, placeOf } from "../../../compiler/schema/place.ts";
import { type Names, placed, type RouteContract } from "../../../runtime/contract/contract.ts";
import {
  isMade,
  isNamed,
  type Made,
  type MadeName,
  type Named,
  type PlainSchema,
  type Schema,
} from "../../../runtime/contract/schema.ts";
import { inRealm, type RealmPart, type RealmTraits, realmNames } from "../../../runtime/contract/traits.ts";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { adminAreas } from "../../../runtime/realm/administration.ts";
import { patchView } from "./patch-view.ts";
import type { Ref, SchemaPool } from "./pool.ts";
import { selectionView } from "./selection-view.ts";

/** Brings schemas of contracts into a realm's document. */
export interface Embedder {
  /** By reference where it has a name. */
  readonly embed: (schema: Schema) => JsonObject;
  readonly component: (schema: Named | Made) => Ref;
}

/** What is known of a route's subject. */
export interface Known {
  readonly traits: RealmTraits;
  readonly names: Names;
  /** As far as its collections have anything for it. */
  readonly made: MadeSchemas;
}

/** Of routes about none. */
export function ofRealm(traits: RealmTraits): Known {
  return { traits, names: {}, made: {} };
}

export type MadeSchemas = Readonly<Partial<Record<MadeName, Ref>>>;

/** The realm's schema of profiles, and of what is merged into one; the members of scopes. */
export type RealmSchemas = Readonly<Record<Exclude<RealmPart, keyof typeof realmNames>, () => JsonObject>>;

/** Of a realm. */
export function realmSchemas(pool: SchemaPool, realm: Realm): RealmSchemas {
  const { profile, organizations, databases, functions } = realm;
  let whole: JsonObject | undefined;
  const scopes = () => {
    const wholes = databases.map(({ name }) => name);
    const collections = databases.flatMap(({ name, collections: own }) =>
      own.map((collection) => `${name}/${collection.name}`),
    );
    const documents = pool.share(documentScope, () => granted([...wholes, ...collections]));
    const called = functions.filter(({ mode }) => mode !== "event");
    const calls = called.map(({ database, name }) => `${database}/${name}`);
    return { read: documents, write: documents, call: granted([...wholes, ...calls]) };
  };
  return {
    profile: () => {
      whole ??= profile ? pool.addPlace("Profile", placeOf(profile)) : { type: "object" };
      return whole;
    },
    profilePatch: () => ({ type: "object", ...(profile && patchView(pool, placeOf(profile))) }),
    memberProfile: () =>
      profile ? membersOf(pool, placeOf(profile), organizations?.membersShow ?? []) : { type: "object" },
    scopes: () => ({ properties: scopes() }),
    tokenScopes: () => ({
      properties: { ...scopes(), admin: { type: "array", items: { type: "string", enum: [...adminAreas] } } },
    }),
  };
}

/** An object that has some members of what a schema describes, by these names, and no others. */
function membersOf(pool: SchemaPool, place: Place, names: readonly string[]): JsonObject {
  const { properties } = isPart(place) ? place.schema : {};
  const plain = names.flatMap((name) => {
    const schema = isJsonObject(properties) ? properties[name] : undefined;
    return schema === undefined
      ? []
      : [[name, pool.embed(below(place, ["properties", name], schema))] as const];
  });
  if (isPart(place) && plain.length === names.length && Object.keys(place.schema).every(isPlain)) {
    return { type: "object", properties: Object.fromEntries(plain), additionalProperties: false };
  }
  return { allOf: [selectionView(pool, place)], type: "object", propertyNames: { enum: [...names] } };
}

/** Whether a keyword leaves what `properties` says of a member all that is said of it, or speaks of other members. */
function isPlain(keyword: string): boolean {
  return [
    ...["type", "properties", "required", "title", "description", "examples", "default", "$defs", "$schema"],
    ...["additionalProperties", "minProperties", "maxProperties", "dependentRequired"],
  ].includes(keyword);
}

/** The schema of what scopes may name where collections can be named. */
export const documentScope = "DocumentScope";

function granted(targets: readonly string[]): JsonObject {
  return {
    anyOf: [
      { const: "*" },
      {
        type: "array",
        maxItems: targets.length === 0 ? 0 : 1_000,
        items: { type: "string", ...(targets.length > 0 && { enum: [...targets] }) },
      },
    ],
  };
}

/** Named schemas become components, once; what the realm decides is filled in, and what only servers look at left out. */
export function embedder(pool: SchemaPool, parts: RealmSchemas, { traits, names, made }: Known): Embedder {
  const component = (schema: Named | Made): Ref =>
    isNamed(schema)
      ? pool.share(placed(schema.named, names), () => plain(inRealm(schema.schema, traits)))
      : madeAs(schema.made);

  const madeAs = (name: MadeName): Ref => {
    const schema = made[name];
    if (schema === undefined) throw new Error(`${name} is made of collections, of which none is known here`);
    return schema;
  };

  const embed = (schema: Schema): JsonObject => (isNamed(schema) ? component(schema) : plain(schema));

  function plain(schema: PlainSchema): JsonObject {
    const { told: _, itself: __, check: ___, when: ____, client: _____, realm, made: name, ...said } = schema;
    if (name !== undefined) return madeAs(name);
    if (realm === "memberProfile") return { description: schema.description, ...parts[realm]() };
    if (realm === "profile" || realm === "profilePatch") {
      const whole = parts[realm]();
      return schema.type?.includes("null") ? { anyOf: [whole, { type: "null" }] } : whole;
    }
    const { properties, required, items, anyOf, not, additionalProperties, ...facets } = said;
    const members = membersIn(properties, traits);
    const embedded: JsonObject = {
      ...facets,
      ...(required && { required: required.filter((name) => Object.hasOwn(members, name)) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(members).map(([name, inner]) => [name, embed(inner)])),
      }),
      ...(items && { items: embed(items) }),
      ...(anyOf && { anyOf: anyOf.map(embed) }),
      ...(not && { not: embed(not) }),
      ...(additionalProperties !== undefined && {
        additionalProperties:
          typeof additionalProperties === "boolean" ? additionalProperties : embed(additionalProperties),
      }),
    };
    // In the order in which it was written.
    return Object.fromEntries(
      Object.keys(schema).flatMap((keyword) => {
        if (keyword === "realm" && realm !== undefined) return Object.entries(filled(realm));
        return Object.hasOwn(embedded, keyword) ? [[keyword, embedded[keyword]]] : [];
      }),
    );
  }

  function filled(part: keyof typeof realmNames | "scopes" | "tokenScopes"): JsonObject {
    if (part === "scopes" || part === "tokenScopes") return parts[part]();
    const names = realmNames[part].of(traits).map(({ name }) => name);
    return names.length > 0 ? { enum: names } : {};
  }
  return { embed, component };
}

/** The members of an object that the realm has. */
function membersIn(
  properties: PlainSchema["properties"],
  traits: RealmTraits,
): NonNullable<PlainSchema["properties"]> {
  const entries = Object.entries(properties ?? {});
  return Object.fromEntries(
    entries.filter(([, member]) => isNamed(member) || member.when?.(traits) !== false),
  );
}

/** Names of the schemas that routes have by name, but for those with the name of a collection in them. */
export function schemaNames(routes: readonly RouteContract[], traits: RealmTraits): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (schema: Schema | Made | boolean | undefined): void => {
    if (typeof schema !== "object" || isMade(schema)) return;
    if (isNamed(schema)) {
      if (names.has(schema.named) || schema.named.includes("{")) return;
      names.add(schema.named);
    }
    const plain = isNamed(schema) ? inRealm(schema.schema, traits) : schema;
    const { properties = {}, items, additionalProperties, anyOf = [] } = plain;
    for (const inner of [...Object.values(properties), items, additionalProperties, ...anyOf]) walk(inner);
  };
  for (const { body, answers } of routes) {
    walk(body?.shown ?? body?.schema);
    for (const { schema } of Object.values(answers)) walk(schema);
  }
  return names;
}
