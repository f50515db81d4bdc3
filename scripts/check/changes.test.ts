/** Changes by git, in repositories of the test's own. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CannotCheck, changesIn, filesIn } from "./changes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-check-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...words: readonly string[]): string {
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "commit.gpgsign=false",
  ];
  return execFileSync("git", [...identity, ...words], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${path}, changed ${Math.random()}`);
  }
}

function commit(...paths: readonly string[]): void {
  write(...paths);
  git("add", "--all");
  git("commit", "--quiet", "--message", "a change");
}

describe("in a repository", () => {
  beforeEach(() => {
    git("init", "--quiet", "--initial-branch", "main");
    write(".gitignore");
    writeFileSync(join(folder, ".gitignore"), "ignored\n");
    commit("kept", "committed", "staged", "unstaged", "deleted", "old");
  });

  const changed = () => changesIn(folder).paths;

  it("what a branch committed, what is staged, what is not, what is new and what is gone has changed", () => {
    git("checkout", "--quiet", "-b", "branch");
    commit("committed");
    git("mv", "old", "renamed");
    write("staged");
    git("add", "staged");
    write("unstaged", "new ünï\ncode", "ignored");
    rmSync(join(folder, "deleted"));
    expect(changed()).toEqual(
      ["committed", "deleted", "new ünï\ncode", "old", "renamed", "staged", "unstaged"].sort(),
    );
  });

  it("what came to main meanwhile has not", () => {
    git("checkout", "--quiet", "-b", "branch");
    commit("committed");
    git("checkout", "--quiet", "main");
    commit("kept");
    git("checkout", "--quiet", "branch");
    expect(changed()).toEqual(["committed"]);
  });

  it("on main itself, what is not committed has", () => {
    commit("committed");
    write("unstaged");
    expect(changed()).toEqual(["unstaged"]);
  });

  it("another revision can be named", () => {
    const first = git("rev-parse", "HEAD");
    commit("committed");
    expect(changesIn(folder, "HEAD~1")).toEqual({ base: first, paths: ["committed"] });
  });

  it("where there is no main, origin/main is meant", () => {
    git("update-ref", "refs/remotes/origin/main", "main");
    git("branch", "--move", "main", "branch");
    commit("committed");
    expect(changed()).toEqual(["committed"]);
  });

  it("paths are those below the folder, as deep as it may lie", () => {
    commit("inner/a");
    write("inner/a", "inner/b", "kept");
    expect(changesIn(join(folder, "inner")).paths).toEqual(["a", "b"]);
  });

  it("its files are those that git tracks or would track", () => {
    write("new", "ignored");
    expect([...filesIn(folder)].sort()).toContain("new");
    expect(filesIn(folder)).not.toContain("ignored");
  });

  it.each([
    ["a revision that is not there", "nowhere", "--since nowhere: there is no such commit"],
    ["what looks like an option", "--all", "--since --all: there is no such commit"],
  ])("%s is refused", (_, since, message) => {
    expect(() => changesIn(folder, since)).toThrow(new CannotCheck(message));
  });

  it("without any main, one has to be named", () => {
    git("branch", "--move", "main", "branch");
    expect(() => changesIn(folder)).toThrow(/neither main nor origin\/main: .*--since <revision>/);
  });

  it("a history of its own has no change", () => {
    git("checkout", "--quiet", "--orphan", "alone");
    commit("committed");
    expect(() => changesIn(folder)).toThrow("HEAD and main have no commit in common");
  });
});

it("outside of a repository nothing is known", () => {
  expect(() => changesIn(folder)).toThrow(`${folder} is not in a git repository`);
});

it("without git nothing is known", () => {
  vi.stubEnv("PATH", folder);
  try {
    expect(() => changesIn(folder)).toThrow(/^git cannot be run \(.*ENOENT\)/);
  } finally {
    vi.unstubAllEnvs();
  }
});
