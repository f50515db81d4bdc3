import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { and, eq, exists, type Filter, isIn, not, or, TRUE } from "../filter/algebra.ts";
import { anchorsOf } from "../filter/anchors.ts";
import { field } from "../filter/fields.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { DocumentChange } from "../store/contract/feed.ts";
import {
  fieldsOf,
  hostileNames,
  olderBody,
  parsed,
  pool,
  schemaWith,
  seed,
  serverFields,
  validBody,
  writtenAround,
} from "../store/testing/suite/random.ts";
import { filterOver } from "../store/testing/suite/random-filters.ts";
import { runs } from "../testing/random.ts";
import { FeedDocumentChange } from "./change.ts";
import { type Interest, Interests, relationOf } from "./interests.ts";
import { Interner } from "./interner.ts";
import { Renderings } from "./rendered.ts";

const state = field("state", "string");
const owner = field("owner", "string");
const tags = field("tags", "string", ["tags"]);

let made = 0;
const renderings = new Renderings();
function changeOf(
  before: object | "unknown" | undefined,
  after: object | undefined,
  collection = "app.notes",
): FeedDocumentChange {
  made += 1;
  const stored = (body: object): StoredDocument => ({ id: "a", version: 1, text: JSON.stringify(body) });
  const change: DocumentChange = {
    recorded: "documents",
    position: `${made}`,
    commit: `${made}`,
    isLast: true,
    at: 0,
    collection,
    id: "a",
    ...(before !== undefined && { before: before === "unknown" ? before : stored(before) }),
    ...(after !== undefined && { after: stored(after) }),
  };
  return new FeedDocumentChange(change, renderings);
}

/** An index whose additions can be taken back. */
class Index<T> {
  readonly #interner = new Interner();
  readonly #interests = new Interests<T>();

  get size(): number {
    return this.#interner.size;
  }

  add(interest: Interest, holder: T): () => void {
    const interned = this.#interner.take(interest);
    this.#interests.add(interned, holder);
    return () => {
      this.#interests.delete(interned, holder);
      this.#interner.release(interned);
    };
  }

  concerns(change: FeedDocumentChange) {
    return this.#interests
      .candidates(change)
      .flatMap((interned) => this.#interests.concern(interned, change) ?? []);
  }
}

const interest = (filter: Filter, collection = "app.notes"): Interest => ({
  collection,
  filter,
  visibility: "live",
});

function concerned(interests: Index<string>, change: FeedDocumentChange): readonly string[] {
  return interests
    .concerns(change)
    .flatMap(({ holders }) => [...holders])
    .sort();
}

describe("interests", () => {
  test("a change meets those of whose documents it is one, before or after", () => {
    const interests = new Index<string>();
    interests.add(interest(eq(state, "open")), "open");
    interests.add(interest(eq(state, "done")), "done");
    interests.add(interest(eq(tags, "x")), "x");
    interests.add(interest(not(eq(state, "open"))), "not open");
    interests.add(interest(TRUE, "app.other"), "other");
    const moved = changeOf({ state: "open", tags: ["x", "y"] }, { state: "done", tags: [] });
    expect(concerned(interests, moved)).toEqual(["done", "not open", "open", "x"]);
    const relations = interests
      .concerns(moved)
      .map(({ holders, before, after }) => [[...holders][0], before, after]);
    expect(relations).toContainEqual(["open", true, false]);
    expect(relations).toContainEqual(["done", false, true]);
    expect(concerned(interests, changeOf(undefined, { state: "late" }))).toEqual(["not open"]);
    expect(concerned(interests, changeOf({}, {}, "app.other"))).toEqual(["other"]);
    expect(concerned(interests, changeOf({}, {}, "app.unknown"))).toEqual([]);
  });

  test("equal filters are one interest, in whatever order they are written", () => {
    const interests = new Index<string>();
    const a = interests.add(interest(and(eq(state, "open"), isIn(owner, ["u", "v"]))), "a");
    const b = interests.add(interest(and(isIn(owner, ["v", "u"]), eq(state, "open"))), "b");
    interests.add({ ...interest(and(eq(state, "open"), isIn(owner, ["u", "v"]))), visibility: "all" }, "c");
    expect(interests.size).toBe(2);
    expect(concerned(interests, changeOf(undefined, { state: "open", owner: "u" }))).toEqual(["a", "b", "c"]);
    a();
    expect(concerned(interests, changeOf(undefined, { state: "open", owner: "u" }))).toEqual(["b", "c"]);
    b();
    expect(interests.size).toBe(1);
  });

  test("soft-deleted documents are of no live interest", () => {
    const interests = new Index<string>();
    interests.add(interest(TRUE), "live");
    interests.add({ ...interest(TRUE), visibility: "all" }, "all");
    const deleted = { _meta: { deleted_at: "2026-03-01T00:00:00.000Z" } };
    expect(interests.concerns(changeOf({}, deleted))).toMatchObject([
      { before: true, after: false },
      { before: true, after: true },
    ]);
    expect(concerned(interests, changeOf(deleted, undefined))).toEqual(["all"]);
  });

  test("where nobody knows what was before, all of the collection are met", () => {
    const interests = new Index<string>();
    interests.add(interest(eq(state, "open")), "open");
    interests.add(interest(exists(owner)), "owned");
    expect(interests.concerns(changeOf("unknown", { state: "done" }))).toMatchObject([
      { before: "unknown", after: false },
      { before: "unknown", after: false },
    ]);
  });

  test("a rule's alternatives are found by the values of any of them", () => {
    const filter = or(eq(owner, "u"), and(isIn(state, ["open", "late"]), eq(tags, "x")));
    const anchors = anchorsOf(filter)?.map(({ field: { path }, value }) => `${path} ${value}`);
    expect(anchors).toEqual(["owner u", "tags x"]);
    expect(anchorsOf(or(eq(owner, "u"), exists(state)))).toBeUndefined();
  });

  test("only those whose values a document has are looked at", () => {
    const interests = new Index<number>();
    let asked = 0;
    for (let n = 0; n < 1_000; n++) {
      const filter = eq(owner, `u${n}`);
      // Asked for when the filter is evaluated, past the index.
      const watched: Interest = {
        collection: "app.notes",
        filter,
        get visibility() {
          asked += 1;
          return "live" as const;
        },
      };
      interests.add(watched, n);
    }
    asked = 0;
    expect(interests.concerns(changeOf({ owner: "u7" }, { owner: "u8" }))).toHaveLength(2);
    expect(asked).toBeLessThan(10);
  });

  test("random: the index finds exactly what evaluating every filter finds", () => {
    const visibility = fc.constantFrom<Interest["visibility"]>("live", "all");
    const world = fc.tuple(schemaWith(hostileNames), pool).chain(([schema, values]) => {
      const body = fc.oneof(validBody(schema, values), olderBody(schema, values));
      const documents = fc.array(writtenAround(body), { minLength: 1, maxLength: 6 });
      return documents.chain((written) => {
        const fields = [...serverFields, ...fieldsOf(schema)];
        const filter = filterOver(fields, values, written.map(parsed));
        return fc.record({
          texts: fc.constant(written.map(({ text }) => JSON.parse(text))),
          interests: fc.array(fc.record({ collection: fc.constant("app.notes"), filter, visibility }), {
            minLength: 1,
            maxLength: 12,
          }),
        });
      });
    });
    fc.assert(
      fc.property(world, ({ texts, interests }) => {
        const index = new Index<number>();
        const removals = interests.map((one, n) => index.add(one, n));
        const removed = new Set<number>();
        const images = [undefined, ...texts];
        for (const [round, before] of images.entries()) {
          for (const after of images) {
            if (before === undefined && after === undefined) continue;
            const change = changeOf(before, after);
            const all = interests.flatMap((one, n) =>
              !removed.has(n) && relationOf(one, change) ? [n] : [],
            );
            const found = index.concerns(change).flatMap(({ holders }) => [...holders]);
            expect(found.sort((a, b) => a - b)).toEqual(all);
          }
          removals[round]?.();
          if (round < interests.length) removed.add(round);
        }
      }),
      { seed, numRuns: runs(2_000) },
    );
  });
});
