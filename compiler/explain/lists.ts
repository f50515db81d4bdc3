/** How engines list the documents that a read or restore rule shows a caller. */
import { and, type Filter } from "../../runtime/filter/algebra.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import type { Visibility } from "../../runtime/store/contract/document.ts";
import type { CollectionShape } from "../../runtime/store/contract/shape.ts";
import { type PlannedStatement, Planner, reachOf } from "../../runtime/store/sqlite/planner.ts";
import type { Collection, Realm } from "../model/model.ts";
import { exampleTime } from "../plans/callers.ts";
import { filterOf } from "../plans/filters.ts";
import { page } from "../plans/planning.ts";
import { fieldTable, shapeOf } from "../plans/shapes.ts";
import type { CompiledRules } from "../rules/compiled.ts";

export interface ListExplanation {
  /** Of the algebra, as emitted functions write it. */
  readonly filter: string;
  /** Of the ways to the page that SQLite has the one that an index serves, else the first. */
  readonly sqlite: PlannedStatement;
  /** The query document, in relaxed Extended JSON. */
  readonly mongodb: JsonObject;
  /** Whether an index serves it, on the embedded store. */
  readonly served: boolean;
  /** The fields of each index that finds the documents, in the order of its keys: `status, -due_at`. */
  readonly indexes: readonly string[];
  readonly verdict: string;
}

export class Lists {
  readonly #shape: CollectionShape;
  readonly #planner: Planner;
  readonly #visibility: Visibility;
  readonly #filters: readonly ((caller: RuleContext) => Filter)[] | undefined;

  /** @param rule deleted documents are shown by the restore rule, and by the read rule too */
  constructor(realm: Realm, collection: Collection, { rules }: CompiledRules, rule: "read" | "restore") {
    this.#shape = shapeOf(realm, collection);
    this.#planner = new Planner(
      realm.databases.flatMap(({ collections }) => collections.map((each) => shapeOf(realm, each))),
      exampleTime,
    );
    this.#visibility = rule === "read" ? "live" : "deleted";
    const fields = fieldTable(realm, collection);
    const asked = rule === "read" ? [rules.read] : [rules.read, rules.restore];
    const lowered = asked.map((each) => each?.form.filter);
    this.#filters = lowered.every((each) => each !== undefined)
      ? lowered.map((each) => filterOf(each, fields))
      : undefined;
  }

  /** What the list of the caller asks for; undefined where there is no read rule. */
  filter(caller: RuleContext): Filter | undefined {
    return this.#filters && and(...this.#filters.map((filter) => filter(caller)));
  }

  async explain(filter: Filter): Promise<ListExplanation> {
    const { name } = this.#shape;
    const ways = this.#planner.find(name, { filter, visibility: this.#visibility, ...page });
    const served = ways.find((way) => way.every((statement) => !reachOf(name, statement).scans));
    const [statement] = served ?? ways[0] ?? [];
    if (statement === undefined) throw new Error("there is always a way");
    return {
      filter: filterText(filter),
      sqlite: statement,
      mongodb: await mongodbQuery(this.#shape, filter, this.#visibility),
      served: served !== undefined,
      indexes: served === undefined ? [] : this.#indexesOf(statement),
      verdict: this.#verdict(filter, statement, served !== undefined),
    };
  }

  close(): void {
    this.#planner.close();
  }

  #verdict(filter: Filter, statement: PlannedStatement, served: boolean): string {
    if (filter.op === "true")
      return "Every document is shown: they are read in the default order, along its index.";
    if (!served)
      return "No index finds these documents: all are looked at in the default order, until the page is full.";
    const [only, ...others] = this.#indexesOf(statement);
    if (only === undefined) return "An index finds these documents that every collection has.";
    return others.length === 0
      ? `The index over ${only} finds these documents.`
      : `The indexes over ${[only, ...others].join(" and ")} find these documents.`;
  }

  #indexesOf(statement: PlannedStatement): readonly string[] {
    return reachOf(this.#shape.name, statement).indexes.map((index) => this.#indexWords(index));
  }

  /** Its fields; of an array whose values are looked up its path. */
  #indexWords(name: string): string {
    const index = this.#shape.indexes.find((each) => each.name === name);
    if (index === undefined) return name;
    return index.keys.map(({ field, descending }) => `${descending ? "-" : ""}${field.path}`).join(", ");
  }
}

/** A filter as the functions of the algebra make it, fields by their paths. */
export function filterText(filter: Filter): string {
  switch (filter.op) {
    case "true":
    case "false":
      return `always(${filter.op})`;
    case "and":
    case "or":
      return `${filter.op}(${filter.of.map(filterText).join(", ")})`;
    case "not":
      return `not(${filterText(filter.of)})`;
    case "search":
      return "search(…)";
    default: {
      const { op, field, ...rest } = filter;
      const values = Object.entries(rest).flatMap(([name, value]) => (name === "ignoreCase" ? [] : [value]));
      return `${op}(${[field.path, ...values.map((value) => JSON.stringify(value))].join(", ")})`;
    }
  }
}

/** As the MongoDB engine asks for it while no document holds anything else than is declared. */
async function mongodbQuery(shape: CollectionShape, filter: Filter, of: Visibility): Promise<JsonObject> {
  const [{ BSON }, { chosen }] = await Promise.all([
    import("mongodb"),
    import("../../runtime/store/mongodb/read/visibility.ts"),
  ]);
  const regularity = { isRegular: () => true, note: async () => {} };
  const clock = { now: () => Date.parse(exampleTime) };
  return BSON.EJSON.serialize(chosen({ shape, regularity }, clock, filter, of), { relaxed: true });
}
