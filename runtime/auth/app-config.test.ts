import { beforeEach, describe, expect, it } from "vitest";
import { realmOf } from "../http/testing/server.ts";
import type { JsonObject } from "../json.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { LiveAppConfig } from "./app-config.ts";
import { collections } from "./collections.ts";
import { writeConfig } from "./records.ts";

const { instance, definition } = realmOf({}, { appConfig: { from: "configuration" }, readsAppConfig: true });

/** A store that holds `stored` and answers when it is told to. */
class Shelf {
  revision: number | undefined;
  stored: JsonObject | undefined;
  /** Of what is stored. */
  version = 1;
  reads = 0;
  #waiting: (() => void)[] | undefined;

  readonly store: Store = Object.assign(Object.create(instance.store), {
    revision: (collection: string) => (collection === collections.config ? this.revision : undefined),
    collection: () => ({ get: () => this.#get() }),
  });

  /** Reads wait from now on; answers how to let them all go on. */
  hold(): () => void {
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    return () => {
      this.#waiting = undefined;
      for (const go of waiting) go();
    };
  }

  async #get(): Promise<StoredDocument | undefined> {
    this.reads += 1;
    const { stored, version } = this;
    await new Promise<void>((resolve) =>
      this.#waiting === undefined ? resolve() : this.#waiting.push(resolve),
    );
    if (stored === undefined) return undefined;
    const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
    return writeConfig({ id: "app_config", value: JSON.stringify(stored), ...times }, version);
  }
}

let shelf: Shelf;
let config: LiveAppConfig;
beforeEach(() => {
  shelf = new Shelf();
  config = new LiveAppConfig({ definition, store: shelf.store });
});

describe("Where the store knows revisions", () => {
  beforeEach(() => {
    shelf.revision = 1;
  });

  it("nothing is read with callers, who tell nothing of it", () => {
    expect(config.mark()).toBeUndefined();
  });

  it("it is read once, then at hand at once, until something changes", async () => {
    expect(await config.current()).toBe(definition.appConfig);
    for (let request = 0; request < 3; request += 1) expect(config.current()).toBe(definition.appConfig);
    expect(shelf.reads).toBe(1);
  });

  it("a replacement counts at the next request, and goes with its record", async () => {
    await config.current();
    shelf.revision = 2;
    shelf.stored = { from: "administrator" };
    const replaced = await config.current();
    expect(replaced).toEqual({ from: "administrator" });
    expect(config.current()).toBe(replaced);
    shelf.revision = 3;
    shelf.stored = undefined;
    expect(await config.current()).toBe(definition.appConfig);
  });

  it("stays the very same object when it is written as it was", async () => {
    shelf.stored = { from: "administrator" };
    const first = await config.current();
    shelf.revision = 2;
    shelf.stored = { from: "administrator" };
    expect(await config.current()).toBe(first);
    expect(config.current()).toBe(first);
  });

  it("requests at once share one reading; one that came after a change has its own", async () => {
    shelf.stored = { at: 1 };
    const go = shelf.hold();
    const early = [config.current(), config.current()];
    shelf.revision = 2;
    shelf.stored = { at: 2 };
    const late = [config.current(), config.current()];
    go();
    expect(await Promise.all(early)).toEqual([{ at: 1 }, { at: 1 }]);
    expect(await Promise.all(late)).toEqual([{ at: 2 }, { at: 2 }]);
    expect(shelf.reads).toBe(2);
    expect(config.current()).toEqual({ at: 2 });
  });
});

describe("Where the store is shared and knows none", () => {
  const put = (value: JsonObject, version: number) => {
    shelf.stored = value;
    shelf.version = version;
  };

  it("it is at hand as long as the version that was read with the caller stands", async () => {
    const first = await config.forRules({ version: 0 });
    expect(first).toBe(definition.appConfig);
    expect(config.forRules({ version: 0 })).toBe(first);
    put({ at: 1 }, 1);
    const second = await config.forRules({ version: 1 });
    expect(second).toEqual({ at: 1 });
    expect(config.forRules({ version: 1 })).toBe(second);
    expect(shelf.reads).toBe(2);
  });

  it("without a version it is read every time, and is the very same object while its text stands", async () => {
    put({ at: 1 }, 1);
    const first = await config.forRules();
    put({ at: 1 }, 2);
    expect(await config.forRules()).toBe(first);
    put({ at: 2 }, 3);
    expect([await config.forRules(), await config.current()]).toEqual([{ at: 2 }, { at: 2 }]);
    expect(shelf.reads).toBe(4);
  });

  it("a reading that was begun before a replacement answers nobody who comes after it", async () => {
    const go = shelf.hold();
    const early = config.forRules();
    put({ at: 1 }, 1);
    const late = [config.forRules(), config.forRules({ version: 1 }), config.forRules({ version: 1 })];
    go();
    expect(await early).toBe(definition.appConfig);
    expect(await Promise.all(late)).toEqual([{ at: 1 }, { at: 1 }, { at: 1 }]);
    expect(config.forRules({ version: 1 })).toEqual({ at: 1 });
    // Those that know the same version have shared one.
    expect(shelf.reads).toBe(3);
  });

  it("whoever knows an older version than the one that is kept is answered by what is stored", async () => {
    put({ at: 2 }, 2);
    await config.forRules({ version: 2 });
    expect(await config.forRules({ version: 1 })).toEqual({ at: 2 });
  });

  it("the version is read in the command of a caller's records, before what else is", () => {
    const asked: unknown[] = [];
    const others = {
      steps: (user: unknown, at: number) => {
        asked.push([user, at]);
        return [];
      },
      found: (found: unknown) => asked.push(found),
    };
    const mark = config.mark(others);
    expect(mark?.steps("ada", 2)).toMatchObject([{ collection: collections.config, versions: true }]);
    mark?.found([[{ id: "app_config", version: 7, text: "" }], [], []]);
    expect(mark?.version).toBe(7);
    mark?.found([[], []]);
    expect(mark?.version).toBe(0);
    expect(asked).toEqual([["ada", 3], [[], []], [[]]]);
  });
});

it("in a realm none of whose rules read it, requests read nothing, and administrators what is stored", async () => {
  const { readsAppConfig: _, ...unread } = definition;
  const plain = new LiveAppConfig({ definition: unread, store: shelf.store });
  shelf.stored = { from: "administrator" };
  expect(plain.mark()).toBeUndefined();
  expect(plain.forRules()).toBe(unread.appConfig);
  expect(shelf.reads).toBe(0);
  expect(await plain.current()).toEqual({ from: "administrator" });
});

it("a failed reading fails the requests that wait for it, and is tried again by the next", async () => {
  let fails = true;
  const store: Store = Object.assign(Object.create(instance.store), {
    revision: () => 1,
    collection() {
      if (fails) throw new Error("unavailable");
      return { get: async () => undefined };
    },
  });
  const failing = new LiveAppConfig({ definition, store });
  await expect(failing.current()).rejects.toThrow("unavailable");
  fails = false;
  expect(await failing.current()).toBe(definition.appConfig);
});
