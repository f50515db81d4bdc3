/** Rules that no operation reaches: of documents that nobody may read, of fields that nobody sees or writes. */
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { FieldRules, RuleName } from "../../model/model.ts";
import { follows } from "../../proofs/relation.ts";
import { orNone } from "../../proofs/room.ts";
import { withoutDocument } from "../../proofs/stored.ts";
import type { Condition } from "../../rules/form/form.ts";
import { all, conditionOf, fieldConditionOf, never, type Ruled } from "./granted.ts";

/** What is asked of documents that the caller may read. */
export const ofReadable: readonly RuleName[] = ["update", "delete", "restore", "purge"];

/** Whether nobody who may read a document satisfies a rule of it that holds for others. */
export function isBeyondRead(subject: Ruled, name: RuleName): boolean {
  const [read, own] = [conditionOf(subject, "read"), conditionOf(subject, name)];
  if (read === undefined || own === undefined || !ofReadable.includes(name)) return false;
  if (read.kind === "constant" || own.kind === "constant") return false;
  // That nobody reads anything is told of the read rule.
  if (follows(read, never, subject.room)) return false;
  return isUnreached(subject, own, all(read, own));
}

/** Rules that hold for nobody who may read the document. */
export function rulesBeyondRead(subject: Ruled): Diagnostic[] {
  return ofReadable.flatMap((rule) => {
    const { rules } = subject.collection;
    const [source, read] = [rules[rule], rules.read];
    if (source === undefined || read === undefined || !isBeyondRead(subject, rule)) return [];
    const related = [{ message: "the read rule stands here", span: read.span }];
    return [diagnose("rule-beyond-read", source.span, { rule }, { related })];
  });
}

export function unreachedFieldRules(subject: Ruled): Diagnostic[] {
  return subject.collection.fieldRules.flatMap((own) => [
    ...unreachedRead(subject, own),
    ...unreachedWrite(subject, own),
  ]);
}

function unreachedRead(subject: Ruled, own: FieldRules): Diagnostic[] {
  const { collection, compiled } = subject;
  const [read, shown] = [conditionOf(subject, "read"), fieldConditionOf(own, compiled, "read")];
  if (own.read === undefined || read === undefined || shown === undefined || isNever(shown)) return [];
  if (isNever(read))
    return [diagnose("field-rule-unreached", own.read.span, { problem: "nobody may read a document here" })];
  const outer = collection.fieldRules.filter(({ path }) => own.path.startsWith(`${path}.`));
  const around = outer.flatMap((each) => fieldConditionOf(each, compiled, "read") ?? []);
  if (!isUnreached(subject, shown, all(read, ...around, shown))) return [];
  const problem = `nobody who may read a document${outer.length > 0 ? ` and what is around '${own.path}'` : ""} satisfies it`;
  return [diagnose("field-rule-unreached", own.read.span, { problem })];
}

function unreachedWrite(subject: Ruled, own: FieldRules): Diagnostic[] {
  const [create, update, read] = [
    conditionOf(subject, "create"),
    conditionOf(subject, "update"),
    conditionOf(subject, "read"),
  ];
  const write = fieldConditionOf(own, subject.compiled, "write");
  if (own.write === undefined || write === undefined || isNever(write)) return [];
  if (create === undefined || update === undefined || read === undefined) return [];
  if (isNever(create) && (isNever(update) || isNever(read)))
    return [
      diagnose("field-rule-unreached", own.write.span, {
        problem: "nobody may create or update a document here",
      }),
    ];
  if (write.kind === "constant") return [];
  const [creating, updating] = [all(create, withoutDocument(write)), all(read, update, write)];
  if (!isUnreached(subject, write, creating, updating)) return [];
  const problem = "nobody who may create or update a document satisfies it";
  return [diagnose("field-rule-unreached", own.write.span, { problem })];
}

function isNever(condition: Condition): boolean {
  return condition.kind === "constant" && !condition.holds;
}

/** Whether a condition that may hold does not wherever it is asked. */
function isUnreached({ room }: Ruled, own: Condition, ...asked: readonly Condition[]): boolean {
  // A write rule may hold only where there is no document.
  return !follows(own, never, orNone(room)) && asked.every((each) => follows(each, never, room));
}
