import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoreLocation } from "../store/location.ts";
import { DataFolder } from "./data.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "data-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const memory: StoreLocation = { engine: "sqlite", folder: ":memory:" };

describe("The data folder", () => {
  it("is SVC_DATA", () => {
    const data = join(folder, "x");
    for (const store of [memory, { engine: "sqlite", folder } as const]) {
      const place = new DataFolder({ data, store });
      expect(place.path).toBe(data);
      place.release();
      expect(statSync(data).mode & 0o777).toBe(0o700);
    }
  });

  it("else the embedded store's", () => {
    const place = new DataFolder({ data: undefined, store: { engine: "sqlite", folder } });
    expect(place.path).toBe(folder);
    place.release();
    expect(existsSync(folder)).toBe(true);
  });

  it("beside a store in memory a folder for this process alone, gone at its end", () => {
    const listeners = process.listenerCount("exit");
    const [one, other] = [memory, memory].map((store) => new DataFolder({ data: undefined, store }));
    const paths = [one?.path, other?.path].map(String);
    expect(new Set(paths).size).toBe(2);
    for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o700);
    one?.release();
    expect(paths.map((path) => existsSync(path))).toEqual([false, true]);
    other?.release();
    expect(paths.map((path) => existsSync(path))).toEqual([false, false]);
    expect(process.listenerCount("exit")).toBe(listeners);
  });

  it("is made when it is needed, not before", () => {
    const data = join(folder, "x");
    new DataFolder({ data, store: memory }).release();
    expect(existsSync(data)).toBe(false);
  });

  it("else ./data", () => {
    const here = process.cwd();
    process.chdir(folder);
    try {
      const store = { engine: "mongodb", uri: "mongodb://a", prefix: "" } as const;
      expect(new DataFolder({ data: undefined, store }).path).toBe(resolve("data"));
    } finally {
      process.chdir(here);
    }
  });
});
