import { describe, expect, test } from "vitest";
import { documentFields, type FieldKind, field } from "../../../filter/fields.ts";
import { defaultOrder, type OrderKey, orderBy } from "../../../filter/order.ts";
import { ordersNatively } from "./expressions.ts";
import { sortingOf } from "./order.ts";
import { afterPosition, isPosition } from "./positions.ts";

const regular = { isRegular: () => true };
const irregular = { isRegular: () => false };

const name = field("name", "string");
const size = field("0", "integer");
const at = field("at", "date-time");
const id = documentFields.id;

const up = (of: OrderKey["field"]): OrderKey => ({ field: of, descending: false });
const down = (of: OrderKey["field"]): OrderKey => ({ field: of, descending: true });

describe("orders", () => {
  test("over regular fields of scalars are indexes' own", () => {
    const { sort, computed } = sortingOf(orderBy([down(name), up(size), up(name), up(at)]), regular);
    expect(computed).toBeUndefined();
    expect([...sort]).toEqual([
      ["name", -1],
      ["0", 1],
      ["at", 1],
      ["_id", 1],
    ]);
    expect([...sortingOf(defaultOrder, regular).sort]).toEqual([
      ["_meta.created_at", 1],
      ["_id", 1],
    ]);
    expect([...sortingOf([up(id), up(name)], regular).sort]).toEqual([["_id", 1]]);
  });

  test("over others sort by what is computed first", () => {
    const tags = field("tags", "string", ["tags"]);
    const { sort, computed } = sortingOf(orderBy([up(name), down(tags)]), regular);
    expect([...sort]).toEqual([
      ["name", 1],
      ["_meta.svc.order.k1", -1],
      ["_id", 1],
    ]);
    expect(computed).toEqual({ $set: { "_meta.svc.order": { k1: { $max: expect.anything() } } } });
    expect([...sortingOf(orderBy([up(name)]), irregular).sort.keys()]).toEqual([
      "_meta.svc.order.k0",
      "_meta.svc.order.k1",
    ]);
  });

  test.each<[readonly FieldKind[], boolean]>([
    [["string"], true],
    [["integer", "number"], true],
    [["boolean"], true],
    [["date"], true],
    [["date", "date-time"], true],
    [["string", "integer", "boolean"], true],
    [["string", "date"], true],
    [["date-time", "number"], true],
    [["date-time", "boolean"], false],
    [["string", "date", "date-time"], false],
    [["object"], false],
    [["object", "string"], false],
    [[], false],
  ])("of kinds %j: %s", (kinds, native) => {
    expect(ordersNatively({ ...field("any", []), kinds }, regular)).toBe(native);
  });
});

describe("positions", () => {
  const beyond = (
    keys: readonly OrderKey[],
    position: readonly (string | number | boolean | null)[],
    constants = new Map(),
  ) => afterPosition(sortingOf(orderBy(keys), regular).keys, position, constants);

  test("bound the first key", () => {
    expect(beyond([up(name)], ["n", "d1"])).toEqual({
      $and: [
        { name: { $gte: "n" } },
        { $or: [{ name: { $gt: "n" } }, { $and: [{ name: { $eq: "n" } }, { _id: { $gt: "d1" } }] }] },
      ],
    });
    expect(beyond([], ["d1"])).toEqual({ _id: { $gt: "d1" } });
    expect(beyond([down(id)], ["d1"])).toEqual({ _id: { $lt: "d1" } });
  });

  test("descending come nulls last", () => {
    expect(beyond([down(size)], [3, "d1"])).toEqual({
      $and: [
        { "0": { $not: { $gt: 3 } } },
        { $or: [{ "0": { $not: { $gte: 3 } } }, { $and: [{ "0": { $eq: 3 } }, { _id: { $gt: "d1" } }] }] },
      ],
    });
    expect(beyond([down(size)], [null, "d1"])).toEqual({
      $and: [{ "0": { $eq: null } }, { _id: { $gt: "d1" } }],
    });
    expect(beyond([down(id), down(size)], ["d1", null])).toEqual({ _id: { $lt: "d1" } });
  });

  test("ascending come nulls first", () => {
    expect(beyond([up(size)], [null, "d1"])).toEqual({
      $or: [{ "0": { $ne: null } }, { $and: [{ "0": { $eq: null } }, { _id: { $gt: "d1" } }] }],
    });
  });

  test("that nothing can come after", () => {
    const { keys } = sortingOf([down(size)], regular);
    expect(afterPosition(keys, [null], new Map())).toEqual({ _id: { $in: [] } });
  });

  test("are dates where documents have dates", () => {
    const instant = "2026-03-01T10:00:00.000Z";
    const { keys } = sortingOf(defaultOrder, regular);
    expect(isPosition(keys, [instant, "d1"])).toBe(true);
    expect(isPosition(keys, ["x", "d1"])).toBe(false);
    expect(isPosition(sortingOf([up(at)], regular).keys, [null])).toBe(true);
    expect(afterPosition(keys, [instant, "d1"], new Map())).toMatchObject({
      $and: [{ "_meta.created_at": { $gte: new Date(instant) } }, {}],
    });
  });

  test("leave out keys that a filter has bound to the same value, and no others", () => {
    expect(beyond([up(name), up(size)], ["n", 1, "d1"], new Map([["name", "n"]]))).toEqual(
      beyond([up(size)], [1, "d1"]),
    );
    const other = new Map([["name", "m"]]);
    expect(beyond([up(name)], ["n", "d1"], other)).toEqual(beyond([up(name)], ["n", "d1"]));
    const instant = new Date("2026-03-01");
    expect(beyond([up(at)], ["2026-03-01T00:00:00.000Z", "d1"], new Map([["at", instant]]))).toEqual({
      _id: { $gt: "d1" },
    });
    expect(
      beyond(
        [up(name)],
        ["n", "d1"],
        new Map([
          ["name", "n"],
          ["_id", "d1"],
        ]),
      ),
    ).toEqual({ _id: { $in: [] } });
  });
});
