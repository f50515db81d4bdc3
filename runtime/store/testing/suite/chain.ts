import { beforeEach, describe, expect, test } from "vitest";
import type { ChainStep } from "../../contract/chain.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import { fields, index, type Suite, shape, start, stored, written } from "./fixtures.ts";

/** Documents of several collections that name one another. */
export function describeChains(suite: Suite): void {
  describe("chain", () => {
    const documents = {
      "app.keys": [written("k", { name: "ada" }), written("lost", { name: "nobody" })],
      "app.people": [
        written("ada", { name: "Ada", tags: ["x"] }, { version: 7 }),
        written("bea", { name: "Bea" }),
        written("gone", { name: "Gone" }, { deletedAt: start }),
      ],
      "app.places": [
        written("1", { name: "ada", place: "rome" }, { version: 2 }),
        written("2", { name: "ada", place: "bern" }, { version: 3 }),
        written("3", { name: "bea", place: "oslo" }),
        written("4", { name: "ada", place: "over" }, { purgeAt: start }),
      ],
      "app.towns": [
        ...["rome", "bern", "oslo", "over"].map((id, n) => written(id, { size: n }, { version: 10 + n })),
      ],
    } satisfies Record<string, readonly DocumentWrite[]>;
    beforeEach(async () => {
      const byName = [index("name", ["name"])];
      await suite.store.provision(Object.keys(documents).map((name) => shape(name, { indexes: byName })));
      for (const [name, written] of Object.entries(documents))
        for (const document of written) await suite.store.collection(name).insert(document);
    });

    const key: ChainStep = { collection: "app.keys", key: fields.id, value: "k", limit: 1 };
    const person: ChainStep = {
      collection: "app.people",
      key: fields.id,
      value: { step: 0, field: fields.name },
      limit: 1,
    };
    const places: ChainStep = {
      collection: "app.places",
      key: fields.name,
      value: { step: 0, field: fields.name },
      limit: 10,
    };
    const towns: ChainStep = {
      collection: "app.towns",
      key: fields.id,
      value: { step: 2, field: fields.place },
      limit: 10,
    };
    const chain = async (...steps: readonly ChainStep[]) =>
      (await suite.store.chain(steps)).map((found) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    const of = (name: keyof typeof documents, ...ids: readonly string[]) =>
      documents[name].filter(({ id }) => ids.includes(id)).map(stored);

    test("each step finds the live documents that earlier ones name, as they were written", async () => {
      expect(await chain(key, person, places, towns)).toEqual([
        of("app.keys", "k"),
        of("app.people", "ada"),
        of("app.places", "1", "2"),
        [of("app.towns", "bern"), of("app.towns", "rome")].flat(),
      ]);
    });

    test("a step may be given its value, beside those that are not", async () => {
      const one: ChainStep = { ...person, value: "bea" };
      const named: ChainStep = { ...places, value: "bea" };
      expect(await chain(key, one, named)).toEqual([
        of("app.keys", "k"),
        of("app.people", "bea"),
        of("app.places", "3"),
      ]);
    });

    test("versions alone, where that is what is asked", async () => {
      const version = (id: string, version: number) => ({ id, version, text: "" });
      const brief = { versions: true };
      expect(
        await chain({ ...key, ...brief }, person, { ...places, ...brief }, { ...towns, ...brief }),
      ).toEqual([
        [version("k", 1)],
        of("app.people", "ada"),
        [version("1", 2), version("2", 3)],
        [version("bern", 11), version("rome", 10)],
      ]);
    });

    test("at most as many as are asked for", async () => {
      const [, found] = await chain(key, { ...places, limit: 1 });
      expect(found).toHaveLength(1);
    });

    test("where a step finds none, those that it should name are none; where the first does not, nothing is found", async () => {
      const lost: ChainStep = { ...key, value: "lost" };
      expect(await chain(lost, person, places, towns, { ...person, value: "bea" })).toEqual([
        of("app.keys", "lost"),
        [],
        [],
        [],
        of("app.people", "bea"),
      ]);
      const nothing: ChainStep = { ...key, value: "nothing" };
      expect(await chain(nothing, person, { ...person, value: "bea" })).toEqual([[], [], []]);
      expect(await chain({ ...person, value: "gone" }, { ...person, value: "bea" })).toEqual([[], []]);
      expect(await chain()).toEqual([]);
    });

    test("it sees every write acknowledged before it", async () => {
      for (let version = 1; version < 6; version += 1) {
        const moved = written("3", { name: "bea", place: `town ${version}` }, { version: version + 1 });
        await suite.store.collection("app.places").replace(version, moved);
        const [, found] = await chain(key, { ...places, value: "bea" });
        expect(found).toEqual([stored(moved)]);
      }
    });
  });
}
