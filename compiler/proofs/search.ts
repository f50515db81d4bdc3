/** Finds a caller and a document that one rule treats otherwise than another. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { kept } from "../../runtime/kept.ts";
import type { RuleUser } from "../../runtime/realm/caller.ts";
import { type Asked, truth, type World } from "../rules/form/evaluate.ts";
import { type Condition, readKey, valuesIn } from "../rules/form/form.ts";
import {
  type Circumstances,
  documentKey,
  membershipsKey,
  now,
  type Unknown,
  unknownsOf,
  userKey,
} from "./candidates.ts";
import { membershipsOf } from "./memberships.ts";
import { place } from "./place.ts";

/** What was chosen for what had to be known, by `readKey`; undefined stands for absent. */
export type Choices = ReadonlyMap<string, JsonValue | undefined>;

export interface Witness {
  readonly choices: Choices;
  readonly unknowns: ReadonlyMap<string, Unknown>;
}

/** Evaluations of two rules after which a search ends. */
const SHORT = 128;
const LONG = 4_000;

/**
 * A world in which `wanted` holds and `unwanted` does not, with no more said of it than that takes; with `appConfig` as
 * it is configured if that is possible. Undefined where none is found. The search is deterministic: of what is read first
 * all candidates are tried, and what does not matter to the outcome is never chosen. Where that takes long, each clause of
 * `wanted` that is enough is looked at by itself: it asks for less.
 */
export function findWitness(
  wanted: Condition,
  unwanted: Condition,
  circumstances: Omit<Circumstances, "replaced">,
): Witness | undefined {
  const found = witnessIn(wanted, unwanted, { ...circumstances, replaced: false });
  const readsConfig = [...valuesIn(wanted), ...valuesIn(unwanted)].some(
    (value) => value.kind === "read" && value.root === "appConfig",
  );
  return (
    found ?? (readsConfig ? witnessIn(wanted, unwanted, { ...circumstances, replaced: true }) : undefined)
  );
}

function witnessIn(
  wanted: Condition,
  unwanted: Condition,
  circumstances: Circumstances,
): Witness | undefined {
  const unknowns = unknownsOf([wanted, unwanted], circumstances);
  const choices = new Map<string, JsonValue | undefined>();
  const clauses = wanted.kind === "or" ? wanted.of : [];
  const isFound =
    isFoundWithin(SHORT, wanted) ||
    clauses.some((clause) => isFoundWithin(SHORT, clause)) ||
    isFoundWithin(LONG, wanted);
  return isFound ? withoutNeedless() : undefined;

  /** What was found are the choices. */
  function isFoundWithin(steps: number, enough: Condition): boolean {
    let left = steps;
    choices.clear();
    return search();

    function search(): boolean {
      if (--left < 0) return false;
      const world = worldOf(choices, unknowns);
      const [holds, first] = outcomeOf(enough, world);
      if (holds === false) return false;
      const [spoilt, second] = outcomeOf(unwanted, world);
      if (spoilt === true) return false;
      const key = first ?? second;
      if (key === undefined) return true;
      for (const candidate of unknowns.get(key)?.candidates ?? []) {
        choices.set(key, candidate);
        if (isPossible(key) && search()) return true;
      }
      choices.delete(key);
      return false;
    }
  }

  /** Whether there may be a document with what was chosen of it. */
  function isPossible(key: string): boolean {
    const unknown = unknowns.get(key);
    return (
      unknown === undefined || circumstances.room.fits(unknown, chosenOf(choices, unknowns)(unknown.root))
    );
  }

  /** What was asked first may not matter after what was chosen later. */
  function withoutNeedless(): Witness {
    for (const [key, value] of [...choices].reverse()) {
      choices.delete(key);
      const world = worldOf(choices, unknowns);
      const still = outcomeOf(wanted, world)[0] === true && outcomeOf(unwanted, world)[0] === false;
      if (!still) choices.set(key, value);
    }
    return { choices: new Map(choices), unknowns };
  }

  /** Whether a rule holds or, where that is not known, what has to be chosen next. */
  function outcomeOf(condition: Condition, world: World): readonly [boolean | undefined, string | undefined] {
    let asked: string | undefined;
    const outcome = truth(condition, world, (read) => {
      const missing = firstMissing(read, choices, unknowns);
      asked ??= missing;
      return missing === undefined;
    });
    return [outcome, outcome === undefined ? asked : undefined];
  }
}

/** What has to be chosen before a value can be read: what it is inside of, then itself. */
function firstMissing(
  { root, path }: Asked,
  choices: Choices,
  unknowns: ReadonlyMap<string, Unknown>,
): string | undefined {
  // Nobody is in nothing.
  if (root === "memberships" && choices.get(userKey) === undefined)
    return choices.has(userKey) ? undefined : userKey;
  for (let length = 0; length <= path.length; length++) {
    const key = readKey({ root, path: path.slice(0, length) });
    if (length < path.length && !unknowns.has(key)) continue;
    if (!choices.has(key)) return key;
    // Nothing is inside of what is not there.
    if (!isJsonObject(choices.get(key))) return undefined;
  }
  return undefined;
}

/** The world of which this much was chosen. */
export function worldOf(choices: Choices, unknowns: ReadonlyMap<string, Unknown>): World {
  const chosen = chosenOf(choices, unknowns);
  const isCreate = choices.has(documentKey) && choices.get(documentKey) === undefined;
  const user = choices.get(userKey) === undefined ? undefined : { ...somebody, ...chosen("user") };
  const memberships = membershipsOf(user && choices.get(membershipsKey), chosen("claims"));
  return {
    context: { user, now, appConfig: chosen("appConfig"), memberships },
    document: isCreate ? undefined : { id: "d1", ...chosen("document") },
    previous: chosen("previous"),
    data: chosen("data"),
  };
}

/** Answers an object with what was chosen of a root, at its paths. */
export function chosenOf(
  choices: Choices,
  unknowns: ReadonlyMap<string, Unknown>,
): (root: Unknown["root"]) => JsonObject {
  const objects = new Map<Unknown["root"], JsonObject>();
  const present: { readonly unknown: Unknown; readonly value: JsonValue }[] = [];
  for (const [key, value] of choices) {
    const unknown = unknowns.get(key);
    if (unknown !== undefined && unknown.path.length > 0 && value !== undefined)
      present.push({ unknown, value });
  }
  // First what others are inside of.
  present.sort((a, b) => a.unknown.path.length - b.unknown.path.length);
  for (const { unknown, value } of present) {
    const object = kept(objects, unknown.root, (): JsonObject => ({}));
    place(object, unknown.path, value);
  }
  return (root) => objects.get(root) ?? {};
}

/** Whoever is signed in, as far as rules do not ask. */
const somebody: RuleUser = {
  id: "u1",
  email: "u1@example.com",
  email_verified: true,
  roles: [],
  locale: null,
  mfa: false,
  created_at: "2026-01-01T00:00:00.000Z",
  profile: null,
};
