/** What a list shows a caller: the filter in words, the index that serves it, and the engine's own plan. */
import { type Access, readable } from "../../runtime/documents/access.ts";
import { ApiError } from "../../runtime/errors.ts";
import { FALSE, TRUE } from "../../runtime/filter/algebra.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { ruleThatRefused } from "../../runtime/realm/refused.ts";
import type { Condition } from "../rules/form/form.ts";
import { type Judged, judgedBy, type Rules } from "./decision.ts";
import { evaluatedDefinition } from "./definition.ts";
import { leftOf } from "./left.ts";
import { Lists } from "./lists.ts";
import { outline } from "./words.ts";

export interface Listing {
  readonly decision: "allow" | "deny";
  /** What HTTP answers; a list that shows nothing is 200 all the same. */
  readonly status: number;
  /** Which documents are shown, in words; `no document` where it is refused. */
  readonly filter: string;
  /** The fields of the index that finds them, of several one after the other; null: all are gone through. */
  readonly index: string | null;
  /** Of the embedded engine; empty where nothing is read. */
  readonly plan: readonly string[];
  /** In a sentence, how the documents are found. */
  readonly verdict: string;
  /** The statement that the plan is of, and the query of the other engine. */
  readonly sql: string;
  readonly mongodb: JsonObject | null;
  /** What refuses it; null where it is not refused. */
  readonly refused: Judged | null;
}

/** A list in the default order, without a condition of its own. */
export async function explainListing(of: Rules, access: Access): Promise<Listing> {
  const { realm, collection, rules } = of;
  const definition = evaluatedDefinition(realm, collection, rules);
  try {
    readable(definition, access, definition.rules?.read);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const by = ruleThatRefused(error);
    const { status } = error;
    const verdict = "Refused before anything is read.";
    const refused = (by && judgedBy(of, by)) ?? null;
    return { ...nothing, decision: "deny", status, filter: "no document", verdict, refused };
  }
  const { context } = access;
  const lists = new Lists(realm, collection, rules, "read");
  try {
    const filter = context === undefined ? TRUE : (lists.filter(context) ?? FALSE);
    const { sqlite, mongodb, indexes, verdict } = await lists.explain(filter);
    return {
      decision: "allow",
      status: 200,
      filter: filter.op === "true" ? "every document" : filter.op === "false" ? "no document" : wordsOf(),
      index: indexes.length === 0 ? null : indexes.join("; "),
      plan: sqlite.plan,
      verdict,
      sql: sqlite.sql,
      mongodb,
      refused: null,
    };
  } finally {
    lists.close();
  }

  function wordsOf(): string {
    const read = rules.rules.read;
    if (read === undefined || context === undefined) return "every document";
    return inWords(leftOf(read.form.condition, { context, document: undefined, data: undefined }));
  }
}

const nothing = { index: null, plan: [], sql: "", mongodb: null };

/** On one line: `status equals 'open' and (a or b)`. */
function inWords(condition: Condition, within?: "and" | "or"): string {
  switch (condition.kind) {
    case "and":
    case "or": {
      const { kind } = condition;
      const text = condition.of.map((term) => inWords(term, kind)).join(` ${kind} `);
      return within === undefined || within === kind ? text : `(${text})`;
    }
    case "choice": {
      const { when, yes, no } = condition;
      const text = `if ${inWords(when, "and")} then ${inWords(yes, "and")} else ${inWords(no, "and")}`;
      return within === undefined ? text : `(${text})`;
    }
    case "not": {
      const [only, ...more] = outline(condition);
      return more.length === 0 && only !== undefined ? only : `not (${inWords(condition.of)})`;
    }
    default:
      return outline(condition).join(" ");
  }
}
