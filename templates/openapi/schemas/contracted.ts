import type { Realm } from "../../../compiler/model/model.ts";
import { placeOf } from "../../../compiler/schema/place.ts";
import type { RouteContract } from "../../../runtime/contract/contract.ts";
import { isNamed, type Named, type PlainSchema, type Schema } from "../../../runtime/contract/schema.ts";
import { inRealm, type RealmPart, type RealmTraits, realmNames } from "../../../runtime/contract/traits.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { patchView } from "./patch-view.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** Brings schemas of contracts into a realm's document. */
export interface Embedder {
  /** By reference where it has a name. */
  readonly embed: (schema: Schema) => JsonObject;
  readonly component: (schema: Named) => Ref;
}

/** The realm's schema of profiles, and of what is merged into one. */
export type Profiles = Readonly<Record<Exclude<RealmPart, keyof typeof realmNames>, () => JsonObject>>;

/** Of a realm. */
export function profilesOf(pool: SchemaPool, { profile }: Realm): Profiles {
  let whole: JsonObject | undefined;
  return {
    profile: () => {
      whole ??= profile ? pool.addPlace("Profile", placeOf(profile)) : { type: "object" };
      return whole;
    },
    profilePatch: () => ({ type: "object", ...(profile && patchView(pool, placeOf(profile))) }),
  };
}

/** Named schemas become components, once; what the realm decides is filled in, and what only servers look at left out. */
export function embedder(pool: SchemaPool, traits: RealmTraits, profiles: Profiles): Embedder {
  const component = ({ named, schema }: Named): Ref =>
    pool.share(named, () => plain(inRealm(schema, traits)));

  const embed = (schema: Schema): JsonObject => (isNamed(schema) ? component(schema) : plain(schema));

  function plain(schema: PlainSchema): JsonObject {
    const { told: _, check: __, when: ___, realm, ...said } = schema;
    if (realm === "profile" || realm === "profilePatch") {
      const whole = profiles[realm]();
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

  function filled(part: keyof typeof realmNames): JsonObject {
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

/** Names of the schemas that routes have by name, in all realms. */
export function schemaNames(routes: readonly RouteContract[], traits: RealmTraits): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (schema: Schema | boolean | undefined): void => {
    if (typeof schema !== "object" || (isNamed(schema) && names.has(schema.named))) return;
    if (isNamed(schema)) names.add(schema.named);
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
