import { expect, test } from "vitest";
import { TRUE } from "../../../filter/algebra.ts";
import type { Aggregate } from "../../contract/aggregate.ts";
import { QueryTimeout, StoreUnavailable, TooManyGroups } from "../../contract/errors.ts";
import { failureOf, fields } from "../../testing/suite/fixtures.ts";
import type { ServerErrorName } from "../testing/faults-errors.ts";
import { queryTime, useFaulty } from "../testing/faulty.ts";
import { describeMongo } from "../testing/server.ts";

const query: Aggregate = {
  filter: TRUE,
  visibility: "live",
  groupBy: [{ field: fields.name }],
  metrics: [{ op: "distinct", field: fields.place }],
  order: [],
  limit: 10,
};

describeMongo("An aggregation that costs too much", () => {
  const faulty = useFaulty();

  test("is limited in time, and in memory: it is not continued on the server's disk", async () => {
    expect(await faulty.people.aggregate(query)).toEqual({ groups: [], hasMore: false });
    const [sent] = faulty.proxy.sent("aggregate");
    expect(sent?.body).toMatchObject({ maxTimeMS: queryTime, allowDiskUse: false });
  });

  test.each<[ServerErrorName, typeof TooManyGroups | typeof QueryTimeout | typeof StoreUnavailable]>([
    ["ExceededMemoryLimit", TooManyGroups],
    ["QueryExceededMemoryLimitNoDiskUseAllowed", TooManyGroups],
    ["Location5643011", TooManyGroups],
    ["BSONObjectTooLarge", TooManyGroups],
    ["MaxTimeMSExpired", QueryTimeout],
    ["Interrupted", StoreUnavailable],
  ])("%s", async (error, thrown) => {
    const injected = faulty.proxy.inject("aggregate", { error });
    expect(await failureOf(faulty.people.aggregate(query))).toBeInstanceOf(thrown);
    expect(injected.struck).toBe(1);
  });

  test("a time zone that the server knows by its canonical name alone", async () => {
    const injected = faulty.proxy.inject("aggregate", { error: "Location40485" });
    const bucket = { unit: "day", zone: "europe/berlin" } as const;
    const groupBy = [{ field: fields["_meta.created_at"], bucket }];
    expect(await faulty.people.aggregate({ ...query, groupBy })).toEqual({ groups: [], hasMore: false });
    expect(injected.struck).toBe(1);
    const zones = faulty.proxy
      .sent("aggregate")
      .map(({ body }) => /europe.berlin/i.exec(JSON.stringify(body))?.[0]);
    expect(zones).toEqual(["europe/berlin", "Europe/Berlin"]);
  });
});
