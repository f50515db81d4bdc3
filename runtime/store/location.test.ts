import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeLocation, parseLocation } from "./location.ts";

describe("Where a store lies", () => {
  it("is a folder, memory, or MongoDB", () => {
    expect(parseLocation("sqlite:./here")).toEqual({ engine: "sqlite", folder: resolve("here") });
    expect(parseLocation("sqlite::memory:")).toEqual({ engine: "sqlite", folder: ":memory:" });
    for (const uri of [
      "mongodb://db",
      "mongodb+srv://me:it@db.example.com/?appName=x",
      "mongodb://[::1]:1,b/x",
    ])
      expect(parseLocation(uri)).toEqual({ engine: "mongodb", uri, prefix: "svc-" });
  });

  it.each([
    "",
    "./data",
    "sqlite:",
    "postgres://db",
    "mongodb://",
    "mongodb:///x",
    "mongodb:db",
    "mongodb://me:it@",
    "mongodb://me:p@ss@db",
    "mongodb://?w=1",
  ])("is nothing else: %j", (text) => {
    expect(parseLocation(text)).toBeUndefined();
  });

  it.each([
    ["sqlite:/var/lib/x", "sqlite:/var/lib/x"],
    ["sqlite::memory:", "sqlite::memory:"],
    ["mongodb://a:27017,b/x?replicaSet=rs", "mongodb://a:27017,b"],
    ["mongodb://me:secret@a/x", "mongodb://a"],
    ["mongodb://me:sec/ret@a/x", "mongodb://a"],
    ["mongodb+srv://me:secret@db.example.com/?authSource=secret", "mongodb+srv://db.example.com"],
  ])("is told without its credentials: %s as %s", (text, told) => {
    const location = parseLocation(text);
    expect(location && describeLocation(location)).toBe(told);
  });
});
