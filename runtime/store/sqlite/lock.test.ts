import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FolderLocked, lockFolder } from "./lock.ts";

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-lock-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** A process that holds the folder until it dies, though it keeps no reference to the lock. */
async function holdElsewhere(holder: string): Promise<ChildProcess> {
  const program = `
    import { lockFolder } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)};
    lockFolder(${JSON.stringify(folder)}, ${JSON.stringify(holder)});
    globalThis.gc();
    setImmediate(() => { globalThis.gc(); console.log("held"); });
    setInterval(() => {}, 1000);`;
  const holding = spawn(
    process.execPath,
    ["--expose-gc", "--import", "tsx", "--input-type=module", "--eval", program],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  child = holding;
  const { stdout } = holding;
  if (stdout === null) throw new Error("the child's output is a pipe");
  await once(stdout, "data");
  return holding;
}

test("a second holder is refused with the first one's name, until it is released", () => {
  const lock = lockFolder(folder, "process 1 on port 8080");
  const failure = failureOf(() => lockFolder(folder, "process 2"));
  expect(failure).toBeInstanceOf(FolderLocked);
  expect(failure).toMatchObject({
    holder: "process 1 on port 8080",
    message: `${folder} is in use by process 1 on port 8080`,
  });
  lock.release();
  lockFolder(folder, "process 2").release();
});

test("folders that do not exist are made, and are apart", () => {
  const locks = ["a", "b/c"].map((name) => lockFolder(join(folder, name), name));
  for (const lock of locks) lock.release();
});

test("a process that is killed leaves no lock behind", async () => {
  const holding = await holdElsewhere("the child");
  expect(failureOf(() => lockFolder(folder, "the parent"))).toMatchObject({
    name: "FolderLocked",
    holder: "the child",
  });
  holding.kill("SIGKILL");
  await once(holding, "exit");
  lockFolder(folder, "the parent").release();
});
