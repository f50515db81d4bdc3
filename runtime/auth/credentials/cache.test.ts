import { describe, expect, it } from "vitest";
import type { StoredDocument } from "../../store/contract/document.ts";
import { RecordCache } from "./cache.ts";

/** A collection in memory that counts what is read of it. */
function source(revisions = true) {
  const documents = new Map<string, string>();
  const state = { revision: 0, reads: 0 };
  return {
    state,
    put(id: string, text: string) {
      documents.set(id, text);
      state.revision += 1;
    },
    revision: () => (revisions ? state.revision : undefined),
    collection: () => ({
      async get(id: string): Promise<StoredDocument | undefined> {
        state.reads += 1;
        const text = documents.get(id);
        return text === undefined ? undefined : { id, version: 1, text };
      },
    }),
  };
}

function setup(revisions = true, bounds = { values: 100, weight: 10_000 }) {
  const store = source(revisions);
  const cache = new RecordCache(store, "_svc.users", ({ text }) => ({ text }), bounds);
  const get = async (id: string) => (cache.peek(id) ?? (await cache.load(id)))?.text;
  return { store, cache, get };
}

describe("RecordCache", () => {
  it("reads a record once while nothing in its collection changes", async () => {
    const { store, get } = setup();
    store.put("a", "1");
    expect([await get("a"), await get("a"), await get("a")]).toEqual(["1", "1", "1"]);
    expect(store.state.reads).toBe(1);
  });

  it("sees every change at the very next look", async () => {
    const { store, get } = setup();
    store.put("a", "1");
    await get("a");
    store.put("a", "2");
    expect(await get("a")).toBe("2");
    store.put("b", "x");
    expect(await get("a")).toBe("2");
    expect(store.state.reads).toBe(3);
  });

  it("keeps nothing that was read across a change", async () => {
    const { store, cache, get } = setup();
    store.put("a", "1");
    expect(cache.peek("a")).toBeUndefined();
    const loading = cache.load("a");
    store.put("a", "2");
    await loading;
    expect(await get("a")).toBe("2");
  });

  it("keeps nothing where the engine knows no revisions", async () => {
    const { store, get } = setup(false);
    store.put("a", "1");
    await get("a");
    store.put("a", "2");
    expect(await get("a")).toBe("2");
    expect(store.state.reads).toBe(2);
  });

  it("makes the very same of the same text, where the engine knows no revisions, and anew of another", async () => {
    const { store, cache } = setup(false);
    store.put("a", "1");
    const first = await cache.load("a");
    expect(await cache.load("a")).toBe(first);
    expect(cache.of({ id: "a", version: 2, text: "1" })).toBe(first);
    const second = cache.of({ id: "a", version: 3, text: "2" });
    expect(second).toEqual({ text: "2" });
    expect(cache.of({ id: "b", version: 1, text: "2" })).not.toBe(second);
    expect(cache.of({ id: "a", version: 3, text: "2" })).toBe(second);
    expect(cache.peek("a")).toBeUndefined();
  });

  it("remembers no absence", async () => {
    const { store, get } = setup();
    expect(await get("a")).toBeUndefined();
    expect(await get("a")).toBeUndefined();
    expect(store.state.reads).toBe(2);
  });

  it("is bounded in records, and forgets first what is not used", async () => {
    const { store, get } = setup(true, { values: 20, weight: 10_000 });
    for (let n = 0; n < 100; n += 1) store.put(`${n}`, "x");
    await get("0");
    for (let n = 1; n < 100; n += 1) {
      await get(`${n}`);
      await get("0");
    }
    const before = store.state.reads;
    expect(before).toBe(100);
    await get("1");
    expect(store.state.reads).toBe(before + 1);
    let kept = 0;
    for (let n = 99; n >= 0; n -= 1) {
      const reads = store.state.reads;
      await get(`${n}`);
      if (store.state.reads > reads) break;
      kept += 1;
    }
    expect(kept).toBeLessThanOrEqual(20);
  });

  it("is bounded in characters", async () => {
    const { store, get } = setup(true, { values: 1_000, weight: 1_000 });
    for (let n = 0; n < 10; n += 1) store.put(`${n}`, "x".repeat(300));
    for (let n = 0; n < 10; n += 1) await get(`${n}`);
    await get("0");
    expect(store.state.reads).toBe(11);
  });
});
