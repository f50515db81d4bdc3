/** Which indexes the embedded engine's planner takes for what the server asks of a collection. */
import { type Filter, TRUE } from "../../runtime/filter/algebra.ts";
import type { Field } from "../../runtime/filter/fields.ts";
import { kept, Recent } from "../../runtime/kept.ts";
import type { CollectionShape } from "../../runtime/store/contract/shape.ts";
import { Planner, reachOf } from "../../runtime/store/sqlite/planner.ts";
import { exampleTime } from "./callers.ts";

/** A page of the default size, and one document more that tells of the next. */
export const page = { limit: 21, skip: 0 };

/** Whether a list in the default order finds the live documents of a filter by indexes, going through no others. */
export function isServed(shape: CollectionShape, filter: Filter): boolean {
  return asked(shape, pathsIn(filter), filter, (planner, name) =>
    planner
      .find(name, { filter, visibility: "live", ...page })
      .some((way) => way.every((statement) => !reachOf(name, statement).scans)),
  );
}

/** Whether an index alone tells the groups by a field among the live documents of a filter. */
export function groupsAreHeld(shape: CollectionShape, field: Field, filter: Filter = TRUE): boolean {
  const metrics = [{ op: "count" }] as const;
  const query = {
    filter,
    visibility: "live",
    groupBy: [{ field }],
    metrics,
    order: [],
    limit: page.limit,
  } as const;
  const paths = new Set([...pathsIn(filter), field.path]);
  return asked(shape, paths, query, (planner, name) => reachOf(name, planner.aggregate(name, query)).covered);
}

/** What this process asked before: collections have much in common, and in `realmc dev` nearly all. */
const answers = new Recent<string, boolean>(10_000);

/** Its answers are the same for collections of every name. */
const stand = "db.c";

/**
 * Asks the planner on a store that has nothing but a collection with those of the indexes that have one of the fields: others
 * have nothing to do with it.
 * @param question what is asked, as data
 */
function asked(
  { indexes, permanent = false }: CollectionShape,
  paths: ReadonlySet<string>,
  question: unknown,
  answer: (planner: Planner, name: string) => boolean,
): boolean {
  const own = indexes
    .filter(({ keys }) => keys.some(({ field }) => paths.has(field.path)))
    .map((index, at) => ({ ...index, name: `${at}` }));
  return kept(answers, JSON.stringify([own, permanent, question]), () => {
    const planner = new Planner(
      [{ name: stand, fields: {}, indexes: own, permanent, feed: false }],
      exampleTime,
    );
    try {
      return answer(planner, stand);
    } finally {
      planner.close();
    }
  });
}

/** Of the fields that a filter compares. */
function pathsIn(filter: Filter): ReadonlySet<string> {
  if (filter.op === "and" || filter.op === "or")
    return new Set(filter.of.flatMap((part) => [...pathsIn(part)]));
  if (filter.op === "not") return pathsIn(filter.of);
  return new Set("field" in filter ? [filter.field.path] : []);
}
