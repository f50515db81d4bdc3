/** `realmc plan` on MongoDB: what it says of each change is what it says on the embedded store. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeMongo } from "../../runtime/store/mongodb/testing/server.ts";
import { processPlace } from "../../runtime/store/testing/stores.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { planned } from "./testing/case.ts";
import { planCases } from "./testing/cases.ts";
import { sectionsIn } from "./testing/golden.ts";

const known = sectionsIn(readFileSync(new URL("testdata/plans.golden", import.meta.url), "utf8"));

/** Those that ask the store for something of their own; all of them where tests run in full. */
const asking = [
  "a required field is added, which some documents have",
  "deleted documents are looked at, too",
  "an index is added",
  "a unique index that documents violate",
  "a unique index over two fields, which tells 1 from its text",
  "searches are added",
  "a migration that leaves some documents unfit",
  "owners lose their documents, members of organizations gain theirs",
  "a reference by id that dangles",
  "a collection is configured no longer",
  "the realm is gone",
];

/** Of these the embedded store has something to say that is true of it alone. */
const embedded = "an index over much: an embedded store has one writer";

const cases = Object.entries(planCases).filter(
  ([name]) => name !== embedded && (isFull || asking.includes(name)),
);

describeMongo("on MongoDB", () => {
  test("the cases are there", () => {
    expect(cases.length).toBeGreaterThanOrEqual(asking.length);
    expect(planCases[embedded]).toBeDefined();
  });

  test.each(cases)("%s", async (name, change) => {
    const place = processPlace();
    try {
      const { code, out, err } = await planned(place, change);
      const text = `${out}${err.trimEnd().split("\n").at(-1) ?? ""}`;
      expect(code, err).toBe(0);
      expect(text.replaceAll(place.realm, "desk")).toBe(known.get(name));
    } finally {
      await place.discard();
    }
  });
});
