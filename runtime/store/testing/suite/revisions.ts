import { describe, expect, test } from "vitest";
import { type Suite, shape, start, written } from "./fixtures.ts";

/** What tells, where a store knows, whether a collection was written to. */
export function describeRevisions(suite: Suite): void {
  describe("revision", () => {
    test("changes with every kind of write to the collection, once it is acknowledged", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places")]);
      const collection = suite.store.collection("app.people");
      const before = suite.store.revision("app.people");
      if (before === undefined) return;
      const seen = new Set([before]);
      const note = () => seen.add(suite.store.revision("app.people") ?? Number.NaN);
      await collection.insert(written("a", {}));
      note();
      await collection.replace(1, written("a", {}, { version: 2, deletedAt: start, purgeAt: start }));
      note();
      await collection.removeExpired(1);
      note();
      await suite.store.transaction((transaction) =>
        transaction.collection("app.people").insert(written("b", {})),
      );
      note();
      await collection.remove("b");
      note();
      expect(seen.size).toBe(6);
      expect(seen.has(Number.NaN)).toBe(false);
    });

    test("stays while nothing is written", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places")]);
      await suite.store.collection("app.people").insert(written("a", {}));
      const before = suite.store.revision("app.people");
      if (before === undefined) return;
      await suite.store.collection("app.people").get("a", "live");
      await suite.store.collection("app.places").insert(written("a", {}));
      expect(suite.store.revision("app.people")).toBe(before);
    });
  });
}
