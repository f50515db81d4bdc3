import { expect, it } from "vitest";
import { parseDuration, parseSize, printDuration, printSize } from "./units.ts";

it("durations are written as in configuration", () => {
  expect(["250ms", "30s", "15m", "8h", "30d", "0s"].map(parseDuration)).toEqual([
    250, 30_000, 900_000, 28_800_000, 2_592_000_000, 0,
  ]);
  for (const text of ["", "5", "s", "5 s", "5S", "-5s", "1.5h", "5w", "5toString", `${"9".repeat(12)}d`]) {
    expect(parseDuration(text), text).toBeUndefined();
  }
});

it("sizes are bytes or written as in configuration", () => {
  expect(["1048576", "64KiB", "5MiB", "1GiB", "7B"].map(parseSize)).toEqual([
    1_048_576, 65_536, 5_242_880, 1_073_741_824, 7,
  ]);
  for (const text of ["", "1MB", "1kib", "-1", "1.5MiB", "MiB"])
    expect(parseSize(text), text).toBeUndefined();
});

it("durations are printed as they are written", () => {
  for (const text of ["250ms", "30s", "90s", "15m", "8h", "30d", "0s"]) {
    expect(printDuration(parseDuration(text) ?? Number.NaN)).toBe(text);
  }
  expect(["60s", "24h", "90m"].map((text) => printDuration(parseDuration(text) ?? Number.NaN))).toEqual([
    "1m",
    "1d",
    "90m",
  ]);
});

it("sizes are printed in the largest unit that leaves no rest", () => {
  for (const text of ["1B", "1000B", "64KiB", "5MiB", "2GiB", "1025KiB", "0B"]) {
    expect(printSize(parseSize(text) ?? Number.NaN)).toBe(text);
  }
  expect(printSize(262_144)).toBe("256KiB");
});
