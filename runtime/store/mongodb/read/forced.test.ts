import { expect, test } from "vitest";
import { and, eq, isIn } from "../../../filter/algebra.ts";
import type { Order } from "../../../filter/order.ts";
import type { Find } from "../../contract/query.ts";
import { fields, idsOf, index, shape, written } from "../../testing/suite/fixtures.ts";
import { useFaulty } from "../testing/faulty.ts";
import { describeMongo, testClient } from "../testing/server.ts";

const { "_meta.created_at": created, id } = fields;
const places = Array.from({ length: 201 }, (_, n) => `p${n}`);
const inOrder = (descending: boolean): Order => [
  { field: created, descending },
  { field: id, descending },
];

describeMongo(
  "A page of documents of many values, in an order that an index has with the value beside",
  () => {
    const faulty = useFaulty();
    const walk = index("walk", ["_meta.created_at", "id", "place"]);
    const setUp = async () => {
      await faulty.store.provision([shape("app.people", { indexes: [walk, index("place", ["place"])] })]);
      const documents = ["p1", "p200", "elsewhere", "p7"].map((place, n) => written(`d${n}`, { place }));
      for (const document of documents) await faulty.people.insert(document);
    };
    const asked = async (query: Partial<Find>) => {
      faulty.proxy.commands.length = 0;
      const whole: Find = {
        filter: isIn(fields.place, places),
        visibility: "live",
        limit: 10,
        skip: 0,
        ...query,
      };
      const found = idsOf(await faulty.people.find(whole));
      return { found, bodies: faulty.proxy.sent("find").map(({ body }) => body) };
    };
    const key = { "_meta.created_at": 1, _id: 1, place: 1, "_meta.svc.live": 1 };

    test("is read along it where MongoDB would sort: beyond 200 of them, whichever way; and never sorted on disk", async () => {
      await setUp();
      for (const order of [undefined, inOrder(false), inOrder(true)]) {
        const { found, bodies } = await asked({ order });
        expect(bodies.map(({ hint, allowDiskUse }) => [hint, allowDiskUse])).toEqual([[key, false]]);
        expect(found).toEqual(
          order === undefined || order[0]?.descending === false ? ["d0", "d1", "d3"] : ["d3", "d1", "d0"],
        );
      }
      const narrowed = await asked({ filter: and(isIn(fields.place, places), eq(fields.id, "d1")) });
      expect([narrowed.found, narrowed.bodies[0]?.["hint"]]).toEqual([["d1"], key]);
    });

    test("MongoDB chooses everywhere else", async () => {
      await setUp();
      const others: readonly Partial<Find>[] = [
        { filter: isIn(fields.place, places.slice(1)) },
        { visibility: "all" },
        { order: [{ field: fields.place, descending: false }, ...inOrder(false)] },
        {
          order: [
            { field: created, descending: false },
            { field: id, descending: true },
          ],
        },
      ];
      for (const query of others) {
        const { found, bodies } = await asked(query);
        expect([found.length, bodies.map(({ hint }) => hint)]).toEqual([3, [undefined]]);
      }
    });

    test("is there, too, when somebody has dropped the index", async () => {
      await setUp();
      const [sent] = (await asked({})).bodies;
      const people = (await testClient()).db(String(sent?.["$db"])).collection("app.people");
      const made = await people.indexes();
      const named = made.find(({ name = "" }) => name.startsWith("svc_walk_"))?.name ?? "";
      await people.dropIndex(named);
      const { found, bodies } = await asked({});
      expect([found, bodies.map(({ hint }) => hint)]).toEqual([
        ["d0", "d1", "d3"],
        [key, undefined],
      ]);
    });
  },
);
