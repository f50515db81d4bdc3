import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { inMemory } from "./memory.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-memory-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => vi.stubEnv("TMPDIR", undefined));
afterEach(() => vi.unstubAllEnvs());

test("temporary files are where there is room and programs can be run", () => {
  expect(inMemory(folder, 1)).toEqual({ TMPDIR: folder });
});

test("a folder that does not exist, or has too little room, is not taken", () => {
  expect(inMemory(join(folder, "nowhere"), 1)).toEqual({});
  expect(inMemory(folder, Number.MAX_SAFE_INTEGER)).toEqual({});
});

test("a TMPDIR that is set stays", () => {
  vi.stubEnv("TMPDIR", "/elsewhere");
  expect(inMemory(folder, 1)).toEqual({});
});

test("a file system that runs no programs is not taken", ({ skip }) => {
  const mounted = join(folder, "mounted");
  mkdirSync(mounted);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "noexec,size=1m", "tmpfs", mounted], { stdio: "ignore" });
  } catch {
    skip("file systems can be mounted by the superuser alone");
  }
  try {
    expect(inMemory(mounted, 1)).toEqual({});
  } finally {
    execFileSync("umount", [mounted]);
  }
});
