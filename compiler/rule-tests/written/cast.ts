/** The callers and documents of a file, each once and by a name that says who or what it is. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import type { Collection } from "../../model/model.ts";
import type { GivenCaller } from "../../plans/callers.ts";
import type { RulePlace } from "../../rules/compiled.ts";
import { canonicalJson } from "../../source/meaning.ts";
import { anonymousCaller } from "../rule-tests.ts";
import type { Scene, SceneDocument } from "./scenes.ts";

export class Cast {
  readonly callers = new Map<string, JsonValue>();
  readonly documents = new Map<string, JsonValue>();
  readonly #collection: Collection;
  readonly #names = new Map<string, string>();

  constructor(collection: Collection) {
    this.#collection = collection;
  }

  /** The test that a scene comes out as it does, as it stands in a file. */
  test(
    place: RulePlace,
    scene: Scene,
    allowed: boolean,
  ): { readonly name: string; readonly action: JsonObject } {
    const as = this.#caller(scene.caller);
    const document = scene.document && this.#document(scene.document);
    const of = (operation: string, action: JsonObject) => ({
      name: nameOf(operation, place, allowed),
      action: { [operation]: action },
    });
    const expected: JsonObject = allowed
      ? { allow: true }
      : { deny: typeof place === "string" ? true : place.field };
    if (document === undefined) {
      const { sent = {}, org, team } = scene;
      return of("create", {
        as,
        data: sent,
        ...(org !== undefined && { org }),
        ...(team !== undefined && { team }),
        ...expected,
      });
    }
    if (scene.sent !== undefined) return of("update", { as, document, patch: scene.sent, ...expected });
    if (typeof place !== "string")
      return of("fields", { as, document, [allowed ? "shown" : "hidden"]: [place.field] });
    return of(place, { [allowed ? "allow" : "deny"]: { [as]: [document] } });
  }

  #caller(caller: GivenCaller): string {
    if (caller === anonymousCaller) return anonymousCaller;
    const given: JsonObject = JSON.parse(JSON.stringify(caller));
    return this.#named("caller", roleOf(caller), given, this.callers);
  }

  #document({ value, unfit }: SceneDocument): string {
    const given = unfit ? { ...value, unfit: true } : value;
    return this.#named("document", this.#kindOf(value), given, this.documents);
  }

  /** A value of an enumeration says the most: `open`. */
  #kindOf(value: JsonObject): string {
    const told = Object.entries(value).find(([name, member]) => {
      const field = this.#collection.fields.find(({ path }) => path === name);
      return field?.values !== undefined && typeof member === "string" && plain.test(member);
    });
    const { _meta: meta } = value;
    const isDeleted = isJsonObject(meta) && meta["deleted_at"] !== undefined;
    const kind = typeof told?.[1] === "string" ? told[1] : "document";
    return isDeleted ? `deleted-${kind}` : kind;
  }

  #named(kind: string, base: string, value: JsonObject, all: Map<string, JsonValue>): string {
    const key = `${kind} ${canonicalJson(value)}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    let name = base;
    for (let at = 2; all.has(name); at++) name = `${base}-${at}`;
    all.set(name, value);
    this.#names.set(key, name);
    return name;
  }
}

const plain = /^[a-z][a-z0-9_-]{0,30}$/i;

/** `update is refused`, `triage is hidden`. */
function nameOf(operation: string, place: RulePlace, allowed: boolean): string {
  if (typeof place === "string") return `${operation} is ${allowed ? "allowed" : "refused"}`;
  if (place.of === "read") return `${place.field} is ${allowed ? "shown" : "hidden"}`;
  return `${operation} of ${place.field} is ${allowed ? "allowed" : "refused"}`;
}

/** What the caller is, above all. */
function roleOf({ roles = [], orgs = {} }: Exclude<GivenCaller, "anonymous">): string {
  const [membership] = Object.values(orgs);
  const [team] = Object.values(membership?.teams ?? {});
  const [ofTeam] = team?.roles ?? [];
  const teamRole = typeof ofTeam === "string" ? ofTeam : ofTeam?.role;
  const [role] = [...roles, ...(teamRole === undefined ? [] : [teamRole]), ...(membership?.roles ?? [])];
  if (role !== undefined && plain.test(role) && role !== anonymousCaller) return role;
  return membership === undefined ? "user" : "member";
}
