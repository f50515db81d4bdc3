/** What is left of a condition for the callers of a row: all that the row says of them put in its place. */
import type { Collection } from "../model/model.ts";
import {
  type Condition,
  type Leaf,
  type Membership,
  mapLeaves,
  mapOperands,
  type Read,
  type Value,
  valuesIn,
} from "../rules/form/form.ts";
import { alike, constant, simplify } from "../rules/form/simplify.ts";
import { type Act, absent, and, memberOf, not, or, orgOf, readOf, teamOf } from "./accesses.ts";
import type { Member, User, Who } from "./rows.ts";

/** For every caller of the row and every document, the rule holds where this does. */
export interface Left {
  readonly left: Condition;
  /** What is true of the callers and documents of the row, of all that `left` asks. */
  readonly given: Condition;
}

export type Asking = Exclude<Who, { readonly kind: "key" }>;

export function leftFor(
  condition: Condition,
  who: Asking,
  act: Act,
  collection: Pick<Collection, "organization" | "customId">,
): Left {
  const known = new Known(who, act, collection);
  const left = simplify(mapLeaves(simplify(condition), (leaf) => known.leaf(leaf)));
  return { left, given: known.given(left) };
}

/** The same for whoever asks: all that is known is what is done. */
export function leftForAll(condition: Condition, act: Act): Condition {
  const known = new Known({ kind: "anybody" }, act, {});
  return simplify(mapLeaves(simplify(condition), (leaf) => known.leaf(leaf)));
}

/** Moments and names that documents have only in the trash. */
const ofTrash: ReadonlySet<string> = new Set(["_meta.deleted_at", "_meta.deleted_by", "_meta.purge_at"]);

const [userId, owner] = [readOf("user", "id"), readOf("document", "_meta", "owner")];
const itself = readOf("user");

class Known {
  readonly #who: Asking | { readonly kind: "anybody" };
  readonly #act: Act;
  readonly #isOwnId: boolean;
  /** The caller's organization and team, where they are known to be those of the document. */
  readonly #org: Value | undefined;
  readonly #team: Value | undefined;

  constructor(
    who: Asking | { readonly kind: "anybody" },
    act: Act,
    { organization, customId }: Pick<Collection, "organization" | "customId">,
  ) {
    const root = act === "create" ? "data" : "document";
    const member = who.kind === "user" ? who.member : undefined;
    this.#who = who;
    this.#act = act;
    this.#isOwnId = customId?.is === "user";
    this.#org = member && organization && orgOf(root);
    this.#team = member?.team && organization?.teams && teamOf(root);
  }

  leaf(leaf: Leaf): Condition {
    const named = mapOperands(leaf, (value) => this.#value(value));
    const { at } = named;
    if (this.#isAnybody && (named.kind === "hasRole" || named.kind === "membership")) return named;
    switch (named.kind) {
      case "hasRole":
        return held(named.roles, this.#user?.roles ?? [], at);
      case "membership":
        return this.#membership(named);
      case "absent":
        return this.#isThere(named.of) ? constant(false, at) : named;
      case "equal":
        return this.#equal(named, named.left, named.right);
      default:
        return named;
    }
  }

  given(left: Condition): Condition {
    const user = this.#user;
    if (user === undefined) return constant(true, left.at);
    const values = [...valuesIn(left)];
    const reads = (value: Value | undefined): boolean =>
      value !== undefined && values.some((each) => alike(each, value));
    const claims = values.some(({ kind }) => kind === "claim");
    const conditions: readonly Condition[] = [
      not(absent(itself)),
      ...(user.owns === false && this.#act !== "create" && reads(owner)
        ? [not({ kind: "equal", left: owner, right: userId, at: left.at })]
        : []),
      ...(this.#org !== undefined && claims ? [memberOf("inOrg", this.#org)] : []),
      ...[this.#org, this.#team].flatMap((place) => (place && reads(place) ? [not(absent(place))] : [])),
    ];
    return and(...conditions);
  }

  get #user(): User | undefined {
    return this.#who.kind === "user" ? this.#who : undefined;
  }

  get #member(): Member | undefined {
    return this.#user?.member;
  }

  get #isAnybody(): boolean {
    return this.#who.kind === "anybody";
  }

  #isThere(value: Value): boolean {
    if (value.kind === "read" && value.root === "document" && value.path.length === 0) return true;
    const there = this.#user === undefined ? [] : [itself, userId, this.#org, this.#team];
    return there.some((each) => each !== undefined && alike(each, value));
  }

  #equal(leaf: Condition, left: Value, right: Value): Condition {
    if (alike(left, right) && this.#isThere(left)) return constant(true, leaf.at);
    const isOwner = [left, right].every((value) => alike(value, owner) || alike(value, userId));
    return isOwner && this.#user?.owns === false ? constant(false, leaf.at) : leaf;
  }

  #membership(leaf: Leaf & Membership): Condition {
    const { helper, id, roles, at } = leaf;
    const member = this.#member;
    if (member === undefined) return constant(false, at);
    switch (helper) {
      case "inOrg":
        return this.#isIn("inOrg", id, this.#org);
      case "hasOrgRole":
        return and(this.#isIn("inOrg", id, this.#org), held(roles, member.roles, at));
      case "inTeam":
        return member.team === undefined ? constant(false, at) : this.#isIn("inTeam", id, this.#team);
      case "hasTeamRole":
        if (member.team === undefined) return constant(false, at);
        return and(this.#isIn("inTeam", id, this.#team), held(roles, member.team.roles, at));
    }
  }

  /** They are in one place alone, of which it may not be known which. */
  #isIn(helper: Membership["helper"], id: Value, own: Value | undefined): Condition {
    if (own === undefined) return { ...memberOf(helper, id), at: id.at };
    return alike(id, own) ? constant(true, id.at) : { kind: "equal", left: id, right: own, at: id.at };
  }

  #value(value: Value): Value {
    switch (value.kind) {
      case "read":
        return this.#read(value);
      case "claim":
        return this.#member === undefined && !this.#isAnybody
          ? nothing(value)
          : { ...value, org: this.#value(value.org) };
      case "length":
      case "ends":
        return { ...value, of: this.#value(value.of) };
      case "pick":
        return { ...value, yes: this.#value(value.yes), no: this.#value(value.no) };
      default:
        return value;
    }
  }

  #read(value: Value & Read): Value {
    const path = value.path.join(".");
    switch (value.root) {
      case "user":
        if (this.#isAnybody) return value;
        if (this.#user === undefined) return nothing(value);
        return path === "roles" ? listOf(this.#user.roles, value) : value;
      case "document":
        if (this.#act === "create") return nothing(value);
        if (this.#act !== "trash" && ofTrash.has(path)) return nothing(value);
        return path === "_meta.owner" && this.#user?.owns === true ? { ...userId, at: value.at } : value;
      case "data":
        return this.#act === "create" ? this.#created(value, path) : this.#updated(value, path);
      default:
        return value;
    }
  }

  /** Callers create where they are, and where ids are those of users with their own. */
  #created(value: Value & Read, path: string): Value {
    if (this.#isAnybody) return value;
    if (path === "id" && this.#isOwnId && this.#user !== undefined) return { ...userId, at: value.at };
    const isElsewhere =
      (path === "_meta.org" && this.#member === undefined) ||
      (path === "_meta.team" && this.#member?.team === undefined);
    return isElsewhere ? nothing(value) : value;
  }

  /** What a document keeps. */
  #updated(value: Value & Read, path: string): Value {
    return kept.has(path) ? { ...value, root: "document" } : value;
  }
}

const kept: ReadonlySet<string> = new Set(["id", "_meta.org", "_meta.team"]);

function nothing({ at }: Value): Value {
  return { kind: "null", at };
}

function listOf(items: readonly string[], { at }: Value): Value {
  return { kind: "list", items, places: [], type: { kinds: [], elements: ["text"] }, at };
}

/** Whether one of the roles that a helper asks for is one of those that are held. */
function held(asked: readonly Value[], own: readonly string[], at: Condition["at"]): Condition {
  if (own.length === 0) return constant(false, at);
  const isHeld = asked.map((role): Condition => {
    if (role.kind === "literal")
      return constant(
        own.some((each) => each === role.value),
        at,
      );
    const [first = "", ...others] = own;
    if (others.length > 0) return { kind: "includes", list: listOf(own, role), item: role, at };
    const right: Value = { kind: "literal", value: first, type: { kinds: ["text"] }, at };
    return { kind: "equal", left: role, right, at };
  });
  return or(...isHeld);
}
