/** What becomes of documents that rules let somebody write: whether there is one, and whether its writer sees it. */
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { oneLine } from "../../model/rule-source.ts";
import { follows } from "../../proofs/relation.ts";
import { ofCreated, ofUpdated } from "../../proofs/stored.ts";
import { type Condition, termsOf } from "../../rules/form/form.ts";
import {
  all,
  conditionOf,
  type FieldCondition,
  fieldsOfCreate,
  fieldsOfUpdate,
  never,
  type Ruled,
  readsClock,
  signedIn,
} from "./granted.ts";

/** Create rules that leave nothing to create together with the write rules of fields. */
export function impossibleCreates(subject: Ruled): Diagnostic[] {
  const { collection, room } = subject;
  const source = collection.rules.create;
  const create = conditionOf(subject, "create");
  if (source === undefined || create === undefined || follows(create, never, room)) return [];
  const fields = fieldsOfCreate(subject);
  // Those that nobody may write are told by themselves.
  const open = fields.filter(({ own, condition }) => !isClosed(own.write?.text, condition));
  if (open.length < fields.length && follows(all(...conditionsOf(fields)), never, room)) return [];
  if (!follows(all(create, ...conditionsOf(fields)), never, room)) return [];
  const single = open.find(({ condition }) => follows(all(create, condition), never, room));
  if (single?.own.write === undefined) {
    const needed = fields.map(({ own }) => `'${own.path}'`).join(", ");
    return [
      diagnose("create-impossible", source.span, {
        problem: `nobody who may may write all of ${needed} that it takes`,
      }),
    ];
  }
  const problem = `whoever this rule lets write '${single.own.path}', which it takes, may not create one`;
  const related = [{ message: "the create rule stands here", span: source.span }];
  return [diagnose("create-impossible", single.own.write.span, { problem }, { related })];
}

function isClosed(text: string | undefined, condition: Condition): boolean {
  return text === "false" || (condition.kind === "constant" && !condition.holds);
}

function conditionsOf(fields: readonly FieldCondition[]): readonly Condition[] {
  return fields.map(({ condition }) => condition);
}

/**
 * Create rules for signed-in callers none of whom may read anything that they made. Where anonymous callers may create, too,
 * documents are messages to others.
 */
export function blindOwners(subject: Ruled): Diagnostic[] {
  const { collection, compiled, kept, room } = subject;
  const source = collection.rules.create;
  const create = conditionOf(subject, "create");
  const read = conditionOf(subject, "read");
  if (source === undefined || create === undefined || !mayDepend(read)) return [];
  if (compiled.rules.create?.facts.anonymous === true) return [];
  const made = all(signedIn, create, ...conditionsOf(fieldsOfCreate(subject)));
  const seen = ofCreated(read, kept);
  if (follows(made, never, room) || !follows(all(made, seen), never, room)) return [];
  const clause = decisive(create, (part) => follows(all(signedIn, part, seen), never, room));
  const reason =
    clause === undefined
      ? "the read rule holds for nothing that this rule lets them create"
      : `\`${oneLine(source.text, clause.at)}\` rules out what the read rule asks for`;
  return [diagnose("owner-blind", source.span, { reason }, relatedTo(subject))];
}

/** Update rules after which no writer sees what they have written. */
export function outOfSight(subject: Ruled): Diagnostic[] {
  const { collection, kept, room } = subject;
  const source = collection.rules.update;
  const update = conditionOf(subject, "update");
  const read = conditionOf(subject, "read");
  if (source === undefined || update === undefined || !mayDepend(read)) return [];
  const written = all(read, update, ...conditionsOf(fieldsOfUpdate(subject)));
  const seen = ofUpdated(read, kept);
  if (follows(written, never, room) || !follows(all(written, seen), never, room)) return [];
  const clause = decisive(update, (part) => follows(all(part, seen), never, room));
  const reason =
    clause === undefined
      ? "the read rule holds for nothing that this rule lets them write"
      : `\`${oneLine(source.text, clause.at)}\` rules out what the read rule asks for`;
  return [diagnose("update-out-of-sight", source.span, { reason }, relatedTo(subject))];
}

/** A read rule that may hold and may not. */
function mayDepend(read: Condition | undefined): read is Condition {
  return read !== undefined && read.kind !== "constant" && !readsClock(read);
}

/** The one of several clauses which are all needed that is enough. */
function decisive(rule: Condition, isEnough: (part: Condition) => boolean): Condition | undefined {
  return (rule.kind === "and" ? termsOf(rule) : [rule]).find(isEnough);
}

function relatedTo({ collection }: Ruled): Pick<Diagnostic, "related"> {
  const read = collection.rules.read;
  return read === undefined ? {} : { related: [{ message: "the read rule stands here", span: read.span }] };
}
