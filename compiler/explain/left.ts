/** What is left to ask of a document, and of what is written, once the caller is known. */
import { member } from "../../runtime/rules/index.ts";
import { truth, type World } from "../rules/form/evaluate.ts";
import {
  type Condition,
  type Leaf,
  type Membership,
  mapLeaves,
  mapOperands,
  type Value,
} from "../rules/form/form.ts";
import { constant, simplify } from "../rules/form/simplify.ts";
import { textType } from "../rules/form/types.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";

/** The rule with everything in it that the caller decides, and with their values in place of `user`. */
export function leftOf(condition: Condition, world: World): Condition {
  return simplify(mapLeaves(condition, (leaf) => leafLeft(leaf, world)));
}

function leafLeft(leaf: Leaf, world: World): Condition {
  const outcome = truth(
    leaf,
    world,
    ({ root }) => root !== "document" && root !== "previous" && root !== "data",
  );
  if (outcome !== undefined) return constant(outcome, leaf.at);
  const named = mapOperands(leaf, (value) => ofCaller(value, world));
  return named.kind === "membership" ? membershipLeft(named, world) : named;
}

/** The ids of which it holds, where no role is the document's. */
function membershipLeft(leaf: Leaf & Membership, { context: { memberships } }: World): Condition {
  const { helper, id, at } = leaf;
  const roles = leaf.roles.flatMap((role) => (role.kind === "literal" ? [role.value] : []));
  if (roles.length < leaf.roles.length) return leaf;
  const items = membershipHelpers[helper].places(memberships, ...roles);
  if (items.length === 0) return constant(false, at);
  const type = { kinds: [], elements: textType.kinds };
  return { kind: "includes", list: { kind: "list", items, places: [], type, at }, item: id, at };
}

function ofCaller(value: Value, { context: { user } }: World): Value {
  if (value.kind !== "read" || value.root !== "user" || value.path.length === 0) return value;
  const own = member({ ...user }, ...value.path);
  return typeof own === "string" || typeof own === "number" || typeof own === "boolean"
    ? { kind: "literal", value: own, type: value.type, at: value.at }
    : value;
}
