/** What the rules of a collection let somebody do, its field rules counted in, as one condition for each operation. */
import type { Collection, FieldRules, RuleName } from "../../model/model.ts";
import { anything, type Room, roomOf, storedAndWritten } from "../../proofs/room.ts";
import { type Kept, withoutDocument } from "../../proofs/stored.ts";
import type { CompiledRule, CompiledRules } from "../../rules/compiled.ts";
import { type At, type Condition, type Value, valuesIn } from "../../rules/form/form.ts";
import { constant } from "../../rules/form/simplify.ts";
import { textType } from "../../rules/form/types.ts";

export interface Ruled {
  readonly collection: Collection;
  readonly compiled: CompiledRules;
  /** What is stored and what is written fits the schema. */
  readonly room: Room;
  readonly kept: Kept;
}

/** @param isKnown whether the schema can be relied on */
export function ruled(collection: Collection, compiled: CompiledRules, isKnown: boolean): Ruled {
  const room = isKnown ? roomOf(collection) : anything;
  return {
    collection,
    compiled,
    room: isKnown ? storedAndWritten(room, room) : anything,
    kept: {
      apart: (collection.files ?? []).map(({ name }) => name),
      choosesIds: collection.customId !== undefined,
    },
  };
}

/** A rule as far as it is known: undefined where it has mistakes of its own. */
export function conditionOf({ collection, compiled }: Ruled, name: RuleName): Condition | undefined {
  if (collection.rules[name] === undefined) return constant(false, nowhere);
  return compiled.rules[name]?.form.condition;
}

/** The same of a field's rule; one that is not given allows. */
export function fieldConditionOf(
  own: FieldRules,
  compiled: CompiledRules,
  of: "read" | "write",
): Condition | undefined {
  if (own[of] === undefined) return constant(true, nowhere);
  return compiledField(own, compiled)?.[of]?.form.condition;
}

function compiledField(
  { path }: FieldRules,
  { fieldRules }: CompiledRules,
): { readonly read?: CompiledRule; readonly write?: CompiledRule } | undefined {
  return fieldRules.find((each) => each.path === path);
}

export const nowhere: At = { start: 0, end: 0 };

export function all(...of: readonly Condition[]): Condition {
  return { kind: "and", of, at: nowhere };
}

export const never = constant(false, nowhere);

/** Write rules that are counted in; the more, the longer proofs take. */
const MAX_FIELDS = 8;

/** What a field's write rule asks of a create: the field is not given, or the rule holds. */
export interface FieldCondition {
  readonly own: FieldRules;
  readonly condition: Condition;
}

export function fieldsOfCreate(subject: Ruled): readonly FieldCondition[] {
  return writeRules(subject).map(({ own, condition }) => ({
    own,
    condition: any(absent(field("data", own.path)), withoutDocument(condition)),
  }));
}

/** The same of an update: the field stays as it is, or the rule holds. Lists and objects have no equality in rules. */
export function fieldsOfUpdate(subject: Ruled): readonly FieldCondition[] {
  const scalars = new Set(
    subject.collection.fields
      .filter(({ kinds, arrays, path }) => !kinds.includes("object") && !arrays.includes(path))
      .map(({ path }) => path),
  );
  return writeRules(subject)
    .filter(({ own }) => scalars.has(own.path))
    .map(({ own, condition }) => {
      const [before, after] = [field("document", own.path), field("data", own.path)];
      const same: Condition = { kind: "equal", left: after, right: before, at: nowhere };
      return { own, condition: any(same, all(absent(before), absent(after)), condition) };
    });
}

function writeRules({ collection, compiled }: Ruled): readonly FieldCondition[] {
  return collection.fieldRules
    .flatMap((own) => {
      const condition = own.write && fieldConditionOf(own, compiled, "write");
      return condition === undefined ? [] : [{ own, condition }];
    })
    .slice(0, MAX_FIELDS);
}

function any(...of: readonly Condition[]): Condition {
  return { kind: "or", of, at: nowhere };
}

/** A field as rules read it; that of dates is another type, which its absence does not depend on. */
function field(root: "document" | "data", path: string): Value {
  return { kind: "read", root, path: path.split("."), type: textType, at: nowhere };
}

function absent(of: Value): Condition {
  return { kind: "absent", of, at: nowhere };
}

export const signedIn: Condition = {
  kind: "not",
  of: absent({ kind: "read", root: "user", path: [], type: { kinds: ["object"] }, at: nowhere }),
  at: nowhere,
};

/** Whether it depends on the moment, which is another one later. */
export function readsClock(condition: Condition): boolean {
  return [...valuesIn(condition)].some(({ kind }) => kind === "now" || kind === "moment");
}
