/** Update rules by which those whom a field of the document names may put somebody else in their place. */
import { isWithin } from "../../../runtime/filter/fields.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Realm } from "../../model/model.ts";
import { findWitness } from "../../proofs/search.ts";
import { witnessInWords } from "../../proofs/words.ts";
import {
  type Condition,
  type Leaf,
  leavesIn,
  mapLeaves,
  type Read,
  readsDocument,
  type Value,
  valuesIn,
} from "../../rules/form/form.ts";
import { constant, simplify } from "../../rules/form/simplify.ts";
import { membershipHelpers } from "../../rules/helpers/memberships.ts";
import { ruleSpan } from "../../rules/language/report.ts";
import { all, conditionOf, nowhere, type Ruled, readsClock } from "./granted.ts";

/** A comparison that says by a field of the document who the caller is to it. */
interface Naming {
  readonly leaf: Leaf;
  readonly field: Value & Read;
  /** What the field names: `user`, or an organization or team that the caller is in. */
  readonly of: "user" | "place";
}

/** @param told fields of which something worse is told */
export function handOvers(subject: Ruled, { appConfig }: Realm, told: ReadonlySet<string>): Diagnostic[] {
  const { collection, room } = subject;
  const source = collection.rules.update;
  const [read, update] = [conditionOf(subject, "read"), conditionOf(subject, "update")];
  if (source === undefined || read === undefined || update === undefined) return [];
  const named = new Map<string, Naming>();
  for (const leaf of leavesIn(update)) {
    const naming = namingOf(leaf);
    const field = naming?.field.path.join(".");
    if (naming !== undefined && field !== undefined && !named.has(field)) named.set(field, naming);
  }
  return [...named].flatMap(([field, naming]) => {
    if (told.has(field) || isGuarded(field, subject)) return [];
    const wanted = all(read, update, naming.leaf, handedOn(naming));
    const witness = findWitness(wanted, without(update, field), { appConfig: [appConfig], room });
    if (witness === undefined) return [];
    const act = { verb: "update", writes: true, stored: true };
    const words = witnessInWords(witness, "may", act, readsClock(wanted));
    const to = naming.of === "user" ? "somebody else" : "others, whom the caller is not among";
    const related = [
      { message: `'${field}' says here whose the document is`, span: ruleSpan(source, naming.leaf.at) },
    ];
    return [diagnose("update-hands-over", source.span, { field, to, witness: words }, { related })];
  });
}

/** `document.owner_id == user.id`, `inOrg(document.org_id)`; what the server keeps is safe. */
function namingOf(leaf: Leaf): Naming | undefined {
  if (leaf.kind === "membership") return isOwn(leaf.id) ? { leaf, field: leaf.id, of: "place" } : undefined;
  if (leaf.kind !== "equal") return undefined;
  const [user, field] = isUserId(leaf.right) ? [leaf.right, leaf.left] : [leaf.left, leaf.right];
  return isUserId(user) && isOwn(field) ? { leaf, field, of: "user" } : undefined;
}

function isUserId(value: Value): boolean {
  return value.kind === "read" && value.root === "user" && value.path.join(".") === "id";
}

function isOwn(value: Value): value is Value & Read {
  return (
    readsDocument(value) && value.root === "document" && value.path[0] !== "_meta" && value.path[0] !== "id"
  );
}

/** Afterwards the field names somebody else. */
function handedOn({ leaf, field }: Naming): Condition {
  const written: Value = { ...field, root: "data" };
  const given: Condition = { kind: "not", of: { kind: "absent", of: written, at: nowhere }, at: nowhere };
  const still: Condition =
    leaf.kind === "membership"
      ? {
          kind: "membership",
          helper: within[membershipHelpers[leaf.helper].in],
          id: written,
          roles: [],
          at: nowhere,
        }
      : { kind: "equal", left: written, right: userId, at: nowhere };
  return all(given, { kind: "not", of: still, at: nowhere });
}

const within = { organization: "inOrg", team: "inTeam" } as const;

const userId: Value = { kind: "read", root: "user", path: ["id"], type: { kinds: ["text"] }, at: nowhere };

/** Whether the field has a write rule, or the update rule looks at what is written there. */
function isGuarded(field: string, { collection, compiled }: Ruled): boolean {
  const { update } = compiled.rules;
  const isRuled = collection.fieldRules.some(
    ({ path, write }) => write !== undefined && isWithin(field, path),
  );
  if (isRuled || update === undefined) return true;
  return [...leavesIn(update.written)].some(
    (leaf) =>
      leaf.kind !== "absent" &&
      [...valuesIn(leaf)].some(
        (value) => value.kind === "read" && value.root === "data" && isWithin(field, value.path.join(".")),
      ),
  );
}

/** What is left for those whom the field does not name. */
function without(update: Condition, field: string): Condition {
  return simplify(
    mapLeaves(update, (leaf) =>
      namingOf(leaf)?.field.path.join(".") === field ? constant(false, leaf.at) : leaf,
    ),
  );
}
