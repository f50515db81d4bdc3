import { beforeEach, describe, expect, it } from "vitest";
import { realmOf } from "../http/testing/server.ts";
import { heldClock } from "../instance/testing/servers.ts";
import type { JsonObject } from "../json.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { LiveAppConfig } from "./app-config.ts";
import { collections } from "./collections.ts";
import { writeConfig } from "./records.ts";

const clock = heldClock();
const { instance, definition } = realmOf({}, { appConfig: { from: "configuration" } });

/** A store that holds `stored` and answers when it is told to. */
class Shelf {
  revision: number | undefined;
  stored: JsonObject | undefined;
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
    const { stored } = this;
    await new Promise<void>((resolve) =>
      this.#waiting === undefined ? resolve() : this.#waiting.push(resolve),
    );
    if (stored === undefined) return undefined;
    const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
    return writeConfig({ id: "app_config", value: JSON.stringify(stored), ...times }, 1);
  }
}

let shelf: Shelf;
let config: LiveAppConfig;
beforeEach(() => {
  shelf = new Shelf();
  config = new LiveAppConfig({ definition, store: shelf.store, clock });
});

describe("Where the store knows revisions", () => {
  beforeEach(() => {
    shelf.revision = 1;
  });

  it("it is read once, then at hand at once, until something changes", async () => {
    expect(await config.current()).toBe(definition.appConfig);
    for (let request = 0; request < 3; request += 1) expect(config.current()).toBe(definition.appConfig);
    clock.advance(1_000_000);
    expect(config.current()).toBe(definition.appConfig);
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
  it("it is read again once a second", async () => {
    await config.current();
    shelf.stored = { from: "elsewhere" };
    clock.advance(999);
    expect(config.current()).toBe(definition.appConfig);
    clock.advance(1);
    expect(await config.current()).toEqual({ from: "elsewhere" });
    expect(shelf.reads).toBe(2);
  });

  it("is as old as the moment when its reading began", async () => {
    const go = shelf.hold();
    const reading = config.current();
    clock.advance(1_000);
    go();
    await reading;
    shelf.stored = { from: "elsewhere" };
    expect(await config.current()).toEqual({ from: "elsewhere" });
  });

  it("a replacement of this instance counts at once, whatever is being read", async () => {
    const go = shelf.hold();
    const early = config.current();
    shelf.stored = { from: "here" };
    config.replaced();
    const late = config.current();
    go();
    expect(await early).toBe(definition.appConfig);
    expect(await late).toEqual({ from: "here" });
    expect(config.current()).toEqual({ from: "here" });
  });

  it("is read anew when the clock was set back", async () => {
    await config.current();
    shelf.stored = { from: "elsewhere" };
    clock.advance(-1);
    expect(await config.current()).toEqual({ from: "elsewhere" });
  });
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
  const failing = new LiveAppConfig({ definition, store, clock });
  await expect(failing.current()).rejects.toThrow("unavailable");
  fails = false;
  expect(await failing.current()).toBe(definition.appConfig);
});
