import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { and, compare, eq, type Filter, isIn, text } from "../../../filter/algebra.ts";
import { documentFields, type Field, field, organizationFields } from "../../../filter/fields.ts";
import { compareDocuments, type Order, orderBy, positionOf } from "../../../filter/order.ts";
import { matches } from "../../../filter/predicate.ts";
import type { JsonObject } from "../../../json.ts";
import { runs } from "../../../testing/random.ts";
import type { Visibility } from "../../contract/document.ts";
import type { CollectionShape, IndexShape } from "../../contract/shape.ts";
import { Connection } from "../connection.ts";
import { type StoreFile, storeFile } from "../file.ts";
import { provision } from "../provision.ts";
import type { Way } from "../query.ts";
import { documentsOf, valuesOf } from "../rows.ts";
import { Table } from "../table.ts";

const { id, "_meta.created_at": created } = documentFields;
const { "_meta.org": org } = organizationFields;
const size = field("size", "integer");
const title = field("title", "string");

const index = (name: string, ...keys: readonly Field[]): IndexShape => ({
  name,
  keys: keys.map((of) => ({ field: of, descending: of === size })),
  unique: false,
});
const shape: CollectionShape = {
  name: "app.things",
  fields: documentFields,
  indexes: [
    { ...index("org", org), trash: true },
    index("org_order", created, id, org),
    index("title_org_size", title, org, size),
  ],
  permanent: true,
  feed: false,
};

interface Thing extends JsonObject {
  readonly id: string;
  readonly _meta: { readonly created_at: string; readonly org?: string; readonly deleted_at?: string };
}

const isDeleted = ({ _meta }: Thing) => _meta.deleted_at !== undefined;

const orgs = Array.from({ length: 60 }, (_, n) => `org${n}`);
/** Many are of the same instant, some of no organization, and some are deleted. */
const documents: readonly Thing[] = Array.from({ length: 600 }, (_, n) => ({
  id: `d${(n * 7919) % 600}`,
  size: (n * 31) % 7,
  title: n % 3 === 0 ? "a" : "b",
  _meta: {
    created_at: new Date(1_000 * ((n * 13) % 90)).toISOString(),
    ...(n % 11 > 0 && { org: orgs[(n * n) % 60] ?? "" }),
    ...(n % 7 === 0 && { deleted_at: new Date(0).toISOString() }),
  },
}));

let file: StoreFile;
let connection: Connection;
const table = new Table(shape);
beforeAll(() => {
  file = storeFile(":memory:", "merged");
  connection = new Connection(file.path, { readOnly: false, busyTimeout: 0 });
  provision(connection, [shape]);
  for (const document of documents) {
    const text = JSON.stringify(document);
    const createdAt = Date.parse(document._meta.created_at);
    const times = { createdAt, ...(isDeleted(document) && { deletedAt: 0 }) };
    table.insert(connection, 0, { id: document.id, version: 1, text, ...times });
  }
});
afterAll(() => {
  connection.close();
  file.remove();
});

/** What a way finds, however long it takes. */
function idsBy(way: Way): readonly string[] {
  const { first, others, limit } = way();
  const rows = [...connection.prepare(first.sql).all(...first.parameters)];
  for (const other of others) {
    const { sql, parameters } = other();
    const [now = null, , ...rest] = parameters;
    if (rows.length < limit) rows.push(...connection.prepare(sql).all(now, limit - rows.length, ...rest));
  }
  return documentsOf(rows).map((document) => document.id);
}

/** What has to be found, by definition. */
function wanted(filter: Filter, visibility: Visibility, order: Order): readonly Thing[] {
  const isSeen = (thing: Thing) => visibility === "all" || isDeleted(thing) === (visibility === "deleted");
  return documents.filter((each) => isSeen(each) && matches(filter, each)).sort(compareDocuments(order));
}

const by = (...keys: readonly (readonly [Field, boolean])[]) =>
  orderBy(keys.map(([of, descending]) => ({ field: of, descending })));
const orders = [
  by([created, false]),
  by([created, true]),
  by([created, true], [id, true]),
  by([size, false]),
  by([size, true], [created, false]),
  by([org, false]),
  by([title, false], [size, true]),
];

const query = fc.record({
  members: fc.subarray([...orgs, "none", "other"], { minLength: 2 }),
  few: fc.boolean(),
  more: fc.constantFrom<readonly Filter[]>(
    [],
    [eq(title, "a")],
    [compare("gt", size, 3)],
    [text("contains", title, "b")],
    [compare("gte", created, new Date(40_000).toISOString())],
    [isIn(title, ["a", "b"])],
    [isIn(size, [1, 2, 3])],
  ),
  visibility: fc.constantFrom<Visibility>("live", "live", "live", "deleted", "all"),
  order: fc.constantFrom(...orders),
  limit: fc.integer({ min: 1, max: 30 }),
  skip: fc.constantFrom(0, 0, 0, 3, 40),
  after: fc.option(fc.nat(documents.length - 1)),
});

test("one of several values: every way finds the same page, the one by definition", () => {
  fc.assert(
    fc.property(query, ({ members, few, more, visibility, order, limit, skip, after }) => {
      const filter = and(isIn(org, few ? members.slice(0, 4) : members), ...more);
      const all = wanted(filter, visibility, order);
      const last = after === null ? undefined : all[after % Math.max(all.length, 1)];
      const begin = last === undefined ? 0 : all.indexOf(last) + 1;
      const page = all.slice(begin + skip, begin + skip + limit).map((each) => each.id);
      const find = {
        filter,
        visibility,
        order,
        limit,
        skip,
        ...(last && { after: positionOf(order, last) }),
      };
      for (const way of table.pages.find(0, find)) expect(idsBy(way)).toEqual(page);
    }),
    { numRuns: runs(400) },
  );
});

/** What SQLite does for the ways of a list in the default order. */
function plansOf(filter: Filter, visibility: Visibility = "live"): readonly string[] {
  return table.pages.find(0, { filter, visibility, limit: 21, skip: 0 }).map((way) => {
    const { sql, parameters } = way().first;
    const steps = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return steps.map((step) => valuesOf(step)[3]).join("; ");
  });
}

const covering = "COVERING INDEX svc_index.app.things.org (<expr>=?)";

test("few values: the rows of each, as its index has them, are merged, and not sorted", () => {
  const [first, second] = plansOf(isIn(org, orgs.slice(0, 50)));
  expect(first?.match(/MERGE \(UNION ALL\)/g)).toHaveLength(49);
  expect(first?.split(covering)).toHaveLength(51);
  expect(first?.match(/SCAN c\.app|TEMP B-TREE/)).toBeNull();
  expect(second).toContain("USING INDEX svc_index.app.things.org_order");
});

test("many values: along the order, where the index says which rows are wanted, else of those that come first", () => {
  const [first, second] = plansOf(isIn(org, orgs.slice(0, 51)));
  expect(first).toContain("SCAN c.app.things USING INDEX svc_index.app.things.org_order");
  expect(first).not.toContain("TEMP B-TREE");
  expect(second).toContain("CORRELATED SCALAR SUBQUERY");
  expect(second).toContain(covering);
});

test("documents need not be looked at along an index that holds what the filter asks for", () => {
  const filter = isIn(org, orgs);
  const [way] = table.pages.find(0, { filter, visibility: "live", limit: 1, skip: 0 });
  expect(way?.().first.sql).not.toContain("= 'text'");
});

test("deleted documents of some organizations are found by an index, too", () => {
  for (const filter of [eq(org, "org1"), isIn(org, orgs.slice(0, 3))]) {
    const [plan] = plansOf(filter, "deleted");
    expect(plan).toContain("svc_index.app.things.org~trash (<expr>=?)");
  }
  const { sql, parameters } = table.counts.all(0, eq(org, "org1"), "all");
  const steps = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
  const plan = steps.map((step) => valuesOf(step)[3]).join("; ");
  expect(plan).toContain("COVERING INDEX svc_index.app.things.org (<expr>=?)");
  expect(plan).toContain("COVERING INDEX svc_index.app.things.org~trash (<expr>=?)");
});

test("a list that asks for no organization goes along the shorter index", () => {
  const [plan] = plansOf(compare("gte", created, new Date(0).toISOString()));
  expect(plan).toContain("svc_live.app.things");
});
