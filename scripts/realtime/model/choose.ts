import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import type { Random } from "../../organizations/model/prng.ts";
import type { Wanted } from "./followed.ts";
import { orgs, users } from "./people.ts";
import { type CollectionName, followed, named, owned } from "./world.ts";

const minute = 60_000;
export const titles = ["a", "b", "c", "d"] as const;
export const tags = ["x", "y", "z"] as const;
const dues = ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"] as const;
export const flagIds = ["f0", "f1", "f2", "f3", "f4"] as const;

/** A document of a collection, with most of its members. */
export function newDocument(random: Random, collection: CollectionName, now: number): JsonObject {
  const some: Record<string, JsonValue> = { title: random.pick(titles) };
  const maybe = (name: string, value: () => JsonValue) => {
    if (random.chance(0.7)) some[name] = value();
  };
  maybe("status", () => random.pick(["draft", "published"] as const));
  maybe("rank", () => random.pick([null, 1, 2, 3, 4, 5] as const));
  maybe("done", () => random.chance(0.5));
  maybe("tags", () => random.some(tags, 3));
  maybe("due", () => random.pick(dues));
  if (collection === "posts") {
    for (const name of ["secret", "note", "memo"]) maybe(name, () => `${name} ${random.pick(titles)}`);
  }
  if (collection === "tasks") maybe("estimate", () => random.pick([1, 2, 3] as const));
  if (collection === "flags") maybe("ring", () => random.pick([1, 2, 3] as const));
  if (collection === "shows") {
    // As far from the moments to which time is moved as can be.
    maybe("starts_at", () => new Date(now + (10 + 20 * random.pick([-1, 0, 1])) * minute).toISOString());
  }
  return some;
}

/** Some of its members, others or none in their place. */
export function newPatch(random: Random, collection: CollectionName, now: number): JsonObject {
  const whole = Object.entries(newDocument(random, collection, now));
  const kept = whole.filter(([name]) => name === "title" || random.chance(0.5));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name !== "title" && random.chance(0.2) ? null : value]),
  );
}

/** A subscription to a collection, of any of its documents, of some by their members, or of one. */
export function newWanted(
  random: Random,
  documentsOf: (collection: CollectionName) => readonly string[],
): Wanted {
  const collection = random.pick(followed);
  const ids = documentsOf(collection);
  if (random.chance(0.15)) {
    const doc = named.includes(collection)
      ? random.pick(flagIds)
      : ids.length > 0
        ? random.pick(ids)
        : "none";
    return { collection, doc };
  }
  if (random.chance(0.3)) return { collection };
  return { collection, where: newWhere(random, collection, 0) };
}

export function newWhere(random: Random, collection: CollectionName, depth: number): JsonObject {
  if (depth < 2 && random.chance(0.25)) {
    const inner = () => newWhere(random, collection, depth + 1);
    return { [random.pick(["$or", "$and"] as const)]: [inner(), inner()] };
  }
  const all = conditions(random);
  const own = owned.includes(collection) ? [...all, ...belonging(random)] : all;
  return Object.fromEntries([random.pick(own), ...(random.chance(0.3) ? [random.pick(own)] : [])]);
}

type Condition = readonly [field: string, value: JsonValue];

function conditions(random: Random): readonly Condition[] {
  const rank = random.pick([1, 2, 3, 4, 5] as const);
  const title = random.pick(titles);
  const due = random.pick(dues);
  return [
    ["title", title],
    ["title", { $in: random.some(titles, 3) }],
    ["title", { $nin: [title] }],
    ["title", { $gte: title }],
    ["status", { $eq: "published" }],
    ["status", { $ne: "published" }],
    ["rank", { $gt: rank }],
    ["rank", { $gte: rank, $lt: 5 }],
    ["rank", { $lte: rank }],
    ["rank", { $between: [2, 4] }],
    ["rank", { $isNull: true }],
    ["rank", { $notNull: true }],
    ["rank", null],
    ["rank", { $nin: [rank] }],
    ["done", true],
    ["done", { $ne: true }],
    ["done", { $isNull: random.chance(0.5) }],
    ["tags", random.pick(tags)],
    ["tags", { $in: random.some(tags, 2) }],
    ["tags", { $ne: random.pick(tags) }],
    ["tags", random.some(tags, 2)],
    ["due", { $lt: due }],
    ["due", { $between: [dues[0], due] }],
    ["due", due],
    ["_meta.version", { $lte: rank }],
    ["_meta.owner", random.pick(users)],
    ["_meta.created_at", { $gt: "2026-01-01T00:00:00Z" }],
  ];
}

function belonging(random: Random): readonly Condition[] {
  return [
    ["_meta.org", random.pick(orgs)],
    ["_meta.org", { $in: random.some(orgs, 2) }],
    ["_meta.org", { $ne: random.pick(orgs) }],
    ["_meta.org", { $isNull: random.chance(0.5) }],
  ];
}
