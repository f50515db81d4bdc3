import { checks } from "../contract/checks.ts";
import type { RouteContract } from "../contract/contract.ts";
import { isMade, isNamed, type PlainSchema, type Schema, type Value } from "../contract/schema.ts";
import { type RealmPart, type RealmTraits, realmNames } from "../contract/traits.ts";
import { validators } from "../contract/validators.ts";
import { type Detail, invalidBody } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Received } from "../realm/exchange.ts";
import type { ValidationError } from "../realm/validator.ts";
import { validationDetails } from "../validation/details.ts";
import { problemsIn, problemsNamed, readJson } from "./body.ts";

/** The body that a contract asks for; never in routes without one. */
export type BodyOf<C extends RouteContract> = C extends { readonly body: { readonly schema: infer S } }
  ? Value<S>
  : never;

/** Notes what is wrong at a path; only the first thing is told. */
export type Tell = (path: string, reason: string) => void;

/** Judges further: `given` are the members that fit the schema, whatever checks say of them. */
export type Judge<Body> = (given: Partial<Body>, tell: Tell) => void;

/**
 * Reads the body of a request, with its strings normalised as their checks do.
 * @throws ApiError `validation_error` with all that is wrong with it | as `readJson`
 */
export type ReadBody<Body> = (judge?: Judge<Body>) => Body;

/** What is wrong with a profile that stands at a path, as the realm's configuration says. */
export type ProfileJudge = (profile: JsonObject, path: string) => readonly Detail[];

/** Reads the bodies of a route in a realm; what can be made of the contract is made here, once. */
export function bodyReader<C extends RouteContract>(
  { id, body }: C,
  traits: RealmTraits,
  profile: ProfileJudge = () => [],
): (exchange: Received) => ReadBody<BodyOf<C>> {
  const validate = validators[id];
  if (body === undefined || validate === undefined || isMade(body.schema)) {
    return () => () => {
      throw new Error(`${id} takes no body`);
    };
  }
  const { media } = body;
  const schema = inThisRealm(body.schema.schema, traits);
  const judgedLater = madePlaces(schema);
  // Of a whole that is kept, every member is known.
  const { properties } = schema;
  return (exchange) => (judge) => {
    const isNone = body.optional === true && exchange.body === "none";
    const sent = isNone ? undefined : readJson(exchange, media);
    const value = sent?.value ?? {};
    const problems = sent === undefined ? [] : problemsIn(sent);
    const told = new Problems(problems.filter(({ path }) => !judgedLater.some((place) => place.test(path))));
    const found = new Problems([]);
    if (!validate(value)) {
      for (const error of validate.errors ?? []) {
        misfit(error, schema, found);
        if (found.isFull) break;
      }
    }
    const misfits = new Set(found.details.map(({ path }) => path.split(".")[0]));
    const given =
      properties === undefined ? value : membersOf(properties, value, "", { traits, profile, found });
    for (const name of Object.keys(properties ?? value))
      for (const { path, reason } of found.within(name)) told.add(path, reason);
    const fitting = Object.fromEntries(Object.entries(given).filter(([name]) => !misfits.has(name)));
    // Of what is beyond the last problem that was noted, nobody knows whether it fits.
    if (judge !== undefined && !found.isFull && isPart<BodyOf<C>>(fitting))
      judge(fitting, (path, reason) => told.add(path, reason));
    for (const name of Object.keys(value)) {
      if (properties !== undefined && !Object.hasOwn(properties, name)) told.add(name, "unknown member");
    }
    if (told.allow<BodyOf<C>>(given)) return given;
    throw invalidBody(told.details);
  };
}

/** Without the members that this realm has not: there they are unknown. */
function inThisRealm(schema: PlainSchema, traits: RealmTraits): PlainSchema {
  if (schema.properties === undefined) return schema;
  const members = Object.entries(schema.properties).filter(
    ([, member]) => isNamed(member) || member.when?.(traits) !== false,
  );
  return { ...schema, properties: Object.fromEntries(members) };
}

/** Below what is made of a collection, where names may be of any form; by their paths in details. */
function madePlaces({ properties = {}, items, made }: PlainSchema, path = "^"): readonly RegExp[] {
  if (made !== undefined) return [new RegExp(path)];
  const inside = [...Object.entries(properties), ...(items ? [["\\d+", items] as const] : [])];
  return inside.flatMap(([name, schema]) => madePlaces(plainOf(schema), `${path}${name}\\.`));
}

/** What was found wrong, one reason a path. */
class Problems {
  readonly #reasons = new Map<string, string>();

  constructor(details: readonly Detail[]) {
    for (const { path, reason } of details) this.add(path, reason);
  }

  get details(): readonly Detail[] {
    return [...this.#reasons].map(([path, reason]) => ({ path, reason }));
  }

  get isFull(): boolean {
    return this.#reasons.size >= problemsNamed;
  }

  add(path: string, reason: string): void {
    if (!this.isFull && !this.has(path)) this.#reasons.set(path, reason);
  }

  has(path: string): boolean {
    return this.#reasons.has(path);
  }

  within(member: string): readonly Detail[] {
    return this.details.filter(({ path }) => path === member || path.startsWith(`${member}.`));
  }

  /** Whether nothing was: then it is what it was held against. */
  allow<T>(_: unknown): _ is T {
    return this.#reasons.size === 0;
  }
}

/** Members that fit are those of the body, as far as they go. */
function isPart<Body>(_: unknown): _ is Partial<Body> {
  return true;
}

function plainOf(schema: Schema | undefined): PlainSchema {
  if (schema === undefined) return {};
  if (!isNamed(schema)) return schema;
  return typeof schema.schema === "function" ? {} : schema.schema;
}

/** Puts the error of a validator into the words of fixed routes. */
function misfit(error: ValidationError, schema: PlainSchema, found: Problems): void {
  const path: string[] = [];
  let place = schema;
  for (const step of error.instancePath.split("/").slice(1)) {
    place = plainOf(place.properties?.[step] ?? place.items);
    path.push(step);
    if (place.told !== undefined) {
      found.add(path.join("."), place.told);
      return;
    }
  }
  const ordinary = validationDetails([error]);
  for (const { path: at, reason } of ordinary) {
    const itself = at === path.join(".") ? place.itself : undefined;
    found.add(at, itself ?? (error.keyword === "type" ? typeReason(place, reason) : reason));
  }
}

function typeReason({ type }: PlainSchema, ordinary: string): string {
  const types = [type ?? []].flat().map((each) => typeWords[each]);
  return types.some((words) => words === undefined) ? ordinary : `must be ${types.join(" or ")}`;
}

/** Types as mistakes in bodies are told. */
const typeWords: Readonly<Record<string, string | undefined>> = {
  string: "a string",
  boolean: "true or false",
  object: "an object",
  null: "null",
};

interface Judging {
  readonly traits: RealmTraits;
  readonly profile: ProfileJudge;
  readonly found: Problems;
}

/** Asks the checks of what the validator found right, and the realm for its names; answers the value as they normalise it. */
function judged(schema: PlainSchema, value: JsonValue, path: string, judging: Judging): JsonValue {
  if (judging.found.has(path)) return value;
  if (typeof value === "string") return judgedText(schema, value, path, judging);
  if (Array.isArray(value)) {
    const items = plainOf(schema.items);
    const judgedItems = value.map((item, at) => judged(items, item, `${path}.${at}`, judging));
    // Of names, each counts once.
    return items.realm === undefined ? judgedItems : [...new Set(judgedItems)];
  }
  if (!isJsonObject(value)) return value;
  if (schema.realm === "profile") {
    for (const problem of judging.profile(value, path)) judging.found.add(problem.path, problem.reason);
  }
  const { properties, additionalProperties } = schema;
  if (properties === undefined) return value;
  if (additionalProperties === false) {
    for (const name of Object.keys(value))
      if (!Object.hasOwn(properties, name)) judging.found.add(`${path}.${name}`, "unknown member");
  }
  return membersOf(properties, value, path, judging);
}

function membersOf(
  properties: NonNullable<PlainSchema["properties"]>,
  value: JsonObject,
  path: string,
  judging: Judging,
): JsonObject {
  const result: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined) continue;
    result[name] = judged(plainOf(schema), member, path === "" ? name : `${path}.${name}`, judging);
  }
  return result;
}

function isNames(realm: RealmPart): realm is keyof typeof realmNames {
  return Object.hasOwn(realmNames, realm);
}

function judgedText(
  { check, realm }: PlainSchema,
  text: string,
  path: string,
  { traits, found }: Judging,
): string {
  if (check !== undefined) return checks[check](text, (reason) => found.add(path, reason));
  if (realm === undefined || !isNames(realm)) return text;
  const { of, reason } = realmNames[realm];
  if (!of(traits).some(({ name }) => name === text)) found.add(path, reason);
  return text;
}
