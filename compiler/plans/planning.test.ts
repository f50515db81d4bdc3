/** What the planner of the embedded engine says of what the examples declare, on an empty store with their indexes. */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eq, TRUE } from "../../runtime/filter/algebra.ts";
import { field, ownershipFields, passesArray } from "../../runtime/filter/fields.ts";
import { orderBy } from "../../runtime/filter/order.ts";
import type { CollectionShape } from "../../runtime/store/contract/shape.ts";
import { Planner, reachOf } from "../../runtime/store/sqlite/planner.ts";
import { packageRoot } from "../package/package.ts";
import { analyse } from "../pipeline.ts";
import { exampleTime } from "./callers.ts";
import { groupsAreHeld, isServed, page } from "./planning.ts";
import { shapeOf } from "./shapes.ts";

let shapes: readonly CollectionShape[] = [];

beforeAll(async () => {
  const { realms } = await analyse(join(packageRoot, "examples"));
  shapes = realms.flatMap(({ realm }) =>
    realm.databases.flatMap(({ collections }) => collections.map((each) => shapeOf(realm, each))),
  );
}, 60_000);

/** Of the first statement of each way to a page of all documents in the order. */
function plansOf(shape: CollectionShape, order?: ReturnType<typeof orderBy>): readonly (readonly string[])[] {
  const planner = new Planner([shape], exampleTime);
  try {
    const ordered = order === undefined ? {} : { order };
    const ways = planner.find(shape.name, { filter: TRUE, visibility: "live", ...page, ...ordered });
    return ways.map(([first]) => first?.plan ?? []);
  } finally {
    planner.close();
  }
}

const sorts = (plan: readonly string[]) =>
  plan.some((line) => line.trim() === "USE TEMP B-TREE FOR ORDER BY");

describe("orders", () => {
  test("the default order of every collection is walked along an index", () => {
    expect(shapes.length).toBeGreaterThan(5);
    for (const shape of shapes) expect([shape.name, plansOf(shape).some(sorts)]).toEqual([shape.name, false]);
  });

  test("so is the order of each declared index that pages by cursor, in both directions", () => {
    let walked = 0;
    for (const shape of shapes) {
      for (const { name, keys } of shape.indexes.filter(({ unique }) => !unique)) {
        if (keys.some(({ field: key }) => passesArray(key))) continue;
        for (const reversed of [false, true]) {
          const order = orderBy(
            keys.map(({ field: key, descending }) => ({ field: key, descending: descending !== reversed })),
          );
          const [first = []] = plansOf(shape, order);
          expect([shape.name, name, reversed, sorts(first)]).toEqual([shape.name, name, reversed, false]);
          walked++;
        }
      }
    }
    expect(walked).toBeGreaterThan(10);
  });
});

describe("lists and groups", () => {
  const owner = ownershipFields["_meta.owner"];
  const status = field("status", "string");
  const over = (unique: boolean, ...keys: readonly (typeof status)[]): CollectionShape => ({
    name: "db.notes",
    fields: {},
    indexes: [{ name: "own", keys: keys.map((key) => ({ field: key, descending: false })), unique }],
    permanent: true,
    feed: false,
  });

  test("an index serves what begins with its first field, whatever else it has", () => {
    expect(isServed(over(false, status, owner), eq(status, "open"))).toBe(true);
    expect(isServed(over(false, owner, status), eq(status, "open"))).toBe(false);
    expect(isServed(over(true, status), eq(status, "open"))).toBe(true);
  });

  test("a unique index over the owner serves nobody: it holds another expression than rules compare", () => {
    expect(isServed(over(true, owner), eq(owner, "ada"))).toBe(false);
    expect(isServed(over(false, owner), eq(owner, "ada"))).toBe(true);
  });

  test("groups are held by an index that has the field anywhere, but not by a unique one", () => {
    expect(groupsAreHeld(over(false, owner, status), status)).toBe(true);
    expect(groupsAreHeld(over(true, status), status)).toBe(false);
    // SQLite reads the row for a generated column, though the index has it.
    expect(groupsAreHeld(over(false, owner), owner)).toBe(false);
  });
});

test("a plan tells scans from searches, and which index, also where the path of a field has blanks", () => {
  const tags = field("my tags", "string", ["my tags"]);
  const size = field("size", "integer");
  const shape: CollectionShape = {
    name: "db.notes",
    fields: {},
    indexes: [
      { name: "by_tags", keys: [{ field: tags, descending: false }], unique: false },
      { name: "by_size", keys: [{ field: size, descending: true }], unique: false },
    ],
    feed: false,
  };
  const planner = new Planner([shape], exampleTime);
  const reach = (filter: Parameters<typeof isServed>[1]) =>
    planner
      .find(shape.name, { filter, visibility: "live", ...page })
      .map(([first]) => first && reachOf(shape.name, first));
  try {
    expect(reach(eq(tags, "x"))).toContainEqual({ scans: false, covered: false, indexes: ["my tags"] });
    expect(reach(eq(size, 3))[0]).toMatchObject({ scans: false, indexes: ["by_size"] });
    expect(reach(eq(field("other", "string"), "x"))[0]).toMatchObject({ scans: true, indexes: [] });
  } finally {
    planner.close();
  }
});
