/** Witnesses as callers, documents and requests of rule tests. */
import { valueAt } from "../../../runtime/documents/paths.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { mergePatch } from "../../../runtime/merge-patch.ts";
import type { Ruled } from "../../matrix/accesses.ts";
import { contextOf, type GivenCaller, type GivenOrganization } from "../../plans/callers.ts";
import { membershipsKey, now, userKey } from "../../proofs/candidates.ts";
import { place } from "../../proofs/place.ts";
import { chosenOf, type Witness } from "../../proofs/search.ts";
import { holds, type World } from "../../rules/form/evaluate.ts";
import { constant } from "../../rules/form/simplify.ts";
import { withDefaultsOf } from "../../settings/defaults.ts";
import type { Misfits } from "../misfits.ts";
import { withDeclaredRoles } from "./declared-roles.ts";
import { filled, samplesAt, withMember } from "./fill.ts";
import type { Attempt, DecidingRule } from "./pivots.ts";

/** Somebody who asks for something. */
export interface Scene {
  readonly caller: GivenCaller;
  /** Absent on create. */
  readonly document?: SceneDocument;
  /** What is sent: on create the members, on update a patch. */
  readonly sent?: JsonObject;
  readonly org?: string;
  readonly team?: string;
  /** As its rules see it. */
  readonly world: World;
}

export interface SceneDocument {
  /** With `_meta`, as far as it says something. */
  readonly value: JsonObject;
  /** Whether it does not fit the schema. */
  readonly unfit: boolean;
}

/** The scene of a witness; undefined where none can be written down in which the clause and the request come out so. */
export function sceneOf(
  ruled: Ruled,
  deciding: DecidingRule,
  side: Attempt,
  found: Witness,
  misfits: Misfits,
): Scene | undefined {
  const witness = withDeclaredRoles(ruled.realm, found);
  if (witness === undefined) return undefined;
  const caller = callerOf(ruled, witness);
  const context = contextOf(caller, ruled.realm, { now });
  const scene = actOf(ruled, deciding, witness, misfits, caller);
  if (scene === undefined) return undefined;
  const { rule, happens } = deciding;
  const world: World = { context, document: scene.stored, data: scene.data };
  const others = happens(constant(true, side.clause.at));
  const isSo =
    holds(side.clause, world) === side.holds &&
    holds(happens(rule.written), world) === side.allowed &&
    (side.by === "any" || holds(others, world)) &&
    mayWrite(ruled, deciding, scene, world);
  const { stored: _stored, data: _data, ...rest } = scene;
  return isSo ? { caller, ...rest, world } : undefined;
}

function callerOf({ collection, realm }: Ruled, { choices, unknowns }: Witness): GivenCaller {
  if (choices.has(userKey) && choices.get(userKey) === undefined) return "anonymous";
  const chosen = chosenOf(choices, unknowns);
  const { roles, ...user } = chosen("user");
  const held = choices.get(membershipsKey);
  const org = isJsonObject(held) ? organizationOf(held, chosen("claims")) : undefined;
  const defaults = realm.organizations?.defaultRoles ?? [];
  const own = (org?.roles ?? []).filter((role) => !defaults.includes(role));
  return {
    ...(collection.customId?.is === "user" && { id: "u1" }),
    ...user,
    ...(Array.isArray(roles) && roles.length > 0 && { roles: textsOf(roles) }),
    ...(org && { orgs: { [org.id]: { ...org.of, ...(own.length > 0 && { roles: own }) } } }),
  };
}

function organizationOf(
  { org, roles = [], team, inTeam, teamRoles = [] }: JsonObject,
  claims: JsonObject,
): { readonly id: string; readonly roles: readonly string[]; readonly of: GivenOrganization } {
  const ofTeam = textsOf(teamRoles);
  const isInTeam = inTeam === true || ofTeam.length > 0;
  return {
    id: String(org),
    roles: textsOf(roles),
    of: {
      ...(isInTeam && { teams: { [String(team)]: ofTeam.length > 0 ? { roles: ofTeam } : {} } }),
      ...(Object.keys(claims).length > 0 && { claims }),
    },
  };
}

function textsOf(value: JsonValue): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

interface Acted extends Omit<Scene, "caller" | "world"> {
  readonly stored: JsonObject | undefined;
  readonly data: JsonObject | undefined;
}

function actOf(
  ruled: Ruled,
  deciding: DecidingRule,
  witness: Witness,
  misfits: Misfits,
  caller: GivenCaller,
): Acted | undefined {
  const chosen = chosenOf(witness.choices, witness.unknowns);
  if (deciding.act === "create") return createOf(ruled, deciding, chosen("data"), misfits, caller);
  const document = documentOf(ruled, deciding, chosen("document"), misfits);
  if (document === undefined) return undefined;
  const { _meta: meta, id = "d1", ...members } = document.value;
  const own = isJsonObject(meta) ? meta : {};
  const stored = {
    id,
    ...members,
    _meta: { created_at: now, updated_at: now, version: 1, ...own },
  };
  if (deciding.act !== "update") return { document, stored, data: undefined };
  const sent = patchOf(ruled, deciding, witness, members, misfits);
  if (sent === undefined) return undefined;
  const after = mergePatch(members, structuredClone(sent));
  if (misfits(ruled.collection, after).length > 0) return undefined;
  const belonging = Object.fromEntries(
    Object.entries(own).filter(([name]) => name === "org" || name === "team"),
  );
  return { document, sent, stored, data: { id, ...after, _meta: belonging } };
}

function documentOf(
  { collection }: Ruled,
  { place: rulePlace }: DecidingRule,
  { _meta: meta = {}, ...chosen }: JsonObject,
  misfits: Misfits,
): SceneDocument | undefined {
  const { id, ...members } = chosen;
  const fit = filled(collection, members, misfits);
  const field = typeof rulePlace === "string" ? undefined : rulePlace.field;
  const isShown = field !== undefined && typeof rulePlace !== "string" && rulePlace.of === "read";
  const base = fit ?? members;
  // There has to be something to see.
  const whole =
    isShown && valueAt(base, field.split(".")) === undefined
      ? withMember(collection, base, field, misfits)
      : base;
  if (whole === undefined) return undefined;
  const deleted = rulePlace === "restore" ? { deleted_at: now } : {};
  const own = { ...(isJsonObject(meta) ? meta : {}), ...deleted };
  return {
    value: { ...(id !== undefined && { id }), ...whole, ...(Object.keys(own).length > 0 && { _meta: own }) },
    unfit: fit === undefined,
  };
}

function createOf(
  { collection }: Ruled,
  { place: rulePlace }: DecidingRule,
  { _meta: meta, id: chosenId, ...chosen }: JsonObject,
  misfits: Misfits,
  caller: GivenCaller,
): Acted | undefined {
  const field = typeof rulePlace === "string" ? undefined : rulePlace.field;
  const touched =
    field === undefined || valueAt(chosen, field.split(".")) !== undefined
      ? chosen
      : withMember(collection, chosen, field, misfits);
  const sent = touched && filled(collection, touched, misfits);
  if (sent === undefined) return undefined;
  const id = chosenId ?? idFor(collection, caller);
  if (collection.customId !== undefined && id === undefined) return undefined;
  const place = isJsonObject(meta) ? meta : {};
  const { org, team } = place;
  return {
    sent: { ...(collection.customId !== undefined && id !== undefined && { id }), ...sent },
    ...(typeof org === "string" && { org }),
    ...(typeof team === "string" && { team }),
    stored: undefined,
    data: {
      ...(id !== undefined && { id }),
      ...withDefaultsOf(collection, structuredClone(sent)),
      _meta: { ...(org !== undefined && { org }), ...(team !== undefined && { team }) },
    },
  };
}

/** An id that a client may choose; undefined where the pattern of ids is met by none that is tried. */
function idFor({ customId }: Ruled["collection"], caller: GivenCaller): string | undefined {
  if (customId === undefined) return undefined;
  if (customId.is === "user") return caller === "anonymous" ? undefined : (caller.id ?? "u1");
  const { pattern } = customId;
  return ["one", "a", "1", "a-1", "A1", "2026", "ab12"].find(
    (id) => pattern === undefined || new RegExp(pattern, "u").test(id),
  );
}

/** The patch that leads to what was chosen of the data; undefined where there is none. */
function patchOf(
  { collection }: Ruled,
  { place: rulePlace }: DecidingRule,
  { choices, unknowns }: Witness,
  members: JsonObject,
  misfits: Misfits,
): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const [key, value] of choices) {
    const unknown = unknowns.get(key);
    if (unknown?.root !== "data" || unknown.path.length === 0 || unknown.path[0] === "_meta") continue;
    if (value !== undefined) place(patch, unknown.path, value);
    else if (valueAt(members, unknown.path) !== undefined) place(patch, unknown.path, null);
  }
  const field = typeof rulePlace === "string" ? undefined : rulePlace.field;
  if (field !== undefined && valueAt(patch, field.split(".")) === undefined) {
    const steps = field.split(".");
    const before = JSON.stringify(valueAt(members, steps));
    const value = samplesAt(collection, steps).find((sample) => {
      const next = structuredClone(members);
      place(next, steps, structuredClone(sample));
      return JSON.stringify(sample) !== before && misfits(collection, next).length === 0;
    });
    if (value === undefined) return undefined;
    place(patch, steps, structuredClone(value));
  }
  if (Object.keys(patch).length > 0) return patch;
  const ruled = new Set(collection.fieldRules.map(({ path }) => path.split(".")[0]));
  const same = Object.entries(members).find(([name]) => name !== "id" && !ruled.has(name));
  return same === undefined ? {} : { [same[0]]: same[1] };
}

/** Whether no other rule of a field refuses what is sent. */
function mayWrite(
  { compiled }: Ruled,
  { place: rulePlace }: DecidingRule,
  { sent }: Acted,
  world: World,
): boolean {
  if (sent === undefined) return true;
  return compiled.fieldRules.every(({ path, write }) => {
    const isOwn = typeof rulePlace !== "string" && rulePlace.field === path;
    const isSent = valueAt(sent, path.split(".")) !== undefined;
    return isOwn || !isSent || write === undefined || holds(write.written, world);
  });
}
