/** Where the tests of a run of `.ci/run` write their files. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Variables } from "./processes.ts";

/** A file system in memory, where the system has one. */
const memory = "/dev/shm";
/** Bytes that all tests together never need at a time. */
const enough = 4 * 1024 ** 3;

/**
 * Has temporary files in memory, where there is room and programs can be run from: every commit of an embedded store waits for
 * the disk, and in no test does the power fail. A `TMPDIR` that is set stays.
 */
export function inMemory(folder = memory, needed = enough): Variables {
  if (process.env["TMPDIR"] !== undefined || !existsSync(folder)) return {};
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= needed && runsPrograms(folder) ? { TMPDIR: folder } : {};
}

/** False where the file system is mounted with `noexec`, as containers have it. */
function runsPrograms(folder: string): boolean {
  const own = mkdtempSync(join(folder, "realmc-ci-"));
  try {
    const program = join(own, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { recursive: true });
  }
}
