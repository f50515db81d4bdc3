import { describe, expect, test } from "vitest";
import type { Modification } from "../../contract/collection.ts";
import type { StoredDocument } from "../../contract/document.ts";
import { UniqueViolation } from "../../contract/errors.ts";
import { bodyOf, failureOf, index, type Suite, start, written } from "./fixtures.ts";

/** Finding a document, judging it and writing, as one. */
export function describeModify(suite: Suite): void {
  describe("modify", () => {
    const renamed = (found: StoredDocument | undefined, name: string): Modification =>
      found === undefined
        ? { kind: "keep" }
        : { kind: "replace", document: written(found.id, { name }, { version: found.version + 1 }) };

    test("does what is decided of the document that is found, and answers it", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "one" }));
      const replaced = await collection.modify("a", "live", (found) => renamed(found, "two"));
      expect(replaced).toMatchObject({ kind: "replace", document: { id: "a", version: 2 } });
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("two");
      expect(await collection.modify("a", "live", () => ({ kind: "remove" }))).toEqual({ kind: "remove" });
      expect(await collection.get("a", "all")).toBeUndefined();
    });

    test("finds what is visible so, and says where there is nothing", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}, { version: 4, deletedAt: start }));
      const seen: unknown[] = [];
      const note = (found: StoredDocument | undefined) => {
        seen.push(found?.version);
        return { kind: "remove" } as const;
      };
      expect(await collection.modify("a", "live", note)).toEqual({ kind: "remove" });
      expect(await collection.modify("b", "all", note)).toEqual({ kind: "remove" });
      expect(await collection.get("a", "deleted")).toMatchObject({ version: 4 });
      await collection.modify("a", "deleted", note);
      expect(seen).toEqual([undefined, undefined, 4]);
      expect(await collection.get("a", "all")).toBeUndefined();
    });

    test("writes nothing where it is kept, and where deciding throws", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "one" }));
      const kept = { kind: "keep", why: "so" } as const;
      expect(await collection.modify("a", "live", () => kept)).toBe(kept);
      const refusal = new Error("refused");
      const refuse = (): Modification => {
        throw refusal;
      };
      expect(await failureOf(collection.modify("a", "live", refuse))).toBe(refusal);
      expect(await collection.get("a", "live")).toMatchObject({ version: 1 });
    });

    test("a unique index is kept", async () => {
      const collection = await suite.people(index("name", ["name"], true));
      await collection.insert(written("a", { name: "one" }));
      await collection.insert(written("b", { name: "two" }));
      const clash = collection.modify("b", "live", (found) => renamed(found, "one"));
      expect(await failureOf(clash)).toBeInstanceOf(UniqueViolation);
      expect(bodyOf(await collection.get("b", "live"))["name"]).toBe("two");
    });

    test("of many at once each is done on what the others left, or not at all", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { size: 0 }));
      const counted = (found: StoredDocument | undefined): Modification => {
        const { size } = bodyOf(found);
        const version = (found?.version ?? 0) + 1;
        return { kind: "replace", document: written("a", { size: Number(size) + 1 }, { version }) };
      };
      const done = await Promise.all(
        Array.from({ length: 20 }, () => collection.modify("a", "live", counted)),
      );
      const count = done.filter((one) => one !== undefined).length;
      expect(count).toBeGreaterThan(0);
      if (!suite.store.isShared) expect(count).toBe(20);
      expect(bodyOf(await collection.get("a", "live"))["size"]).toBe(count);
    });

    test("in a transaction sees what that has written, and is undone with it", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "one" }));
      await suite.store
        .transaction(async (transaction) => {
          const own = transaction.collection("app.people");
          await own.replace(1, written("a", { name: "two" }, { version: 2 }));
          const done = await own.modify("a", "live", (found) => renamed(found, "three"));
          expect(done).toMatchObject({ document: { version: 3 } });
          expect(bodyOf(await own.get("a", "live"))["name"]).toBe("three");
          throw new Error("given up");
        })
        .catch(() => undefined);
      expect(await collection.get("a", "live")).toMatchObject({ version: 1 });
    });
  });
}
