/** What changed in a checkout, by git. */
import { spawnSync } from "node:child_process";

/** What keeps the check from beginning, in words for whoever called it. */
export class CannotCheck extends Error {}

export interface Changes {
  /** The commit that the change is measured from. */
  readonly base: string;
  /** Committed since, staged, in the working tree, or not tracked; deleted ones too. From the root of the checkout, sorted. */
  readonly paths: readonly string[];
}

/**
 * The change since the last commit in common with `since`, by default with `main` or else `origin/main`.
 * @throws CannotCheck where there is no git, no repository, or no such revision
 */
export function changesIn(folder: string, since?: string): Changes {
  if (git(folder, ["rev-parse", "--git-dir"]).status !== 0)
    throw new CannotCheck(`${folder} is not in a git repository, so what changed in it is not known`);
  const revision = since ?? ["main", "origin/main"].find((name) => isCommit(folder, name));
  if (revision === undefined)
    throw new CannotCheck(
      "there is neither main nor origin/main: name what to compare with, --since <revision>",
    );
  if (!isCommit(folder, revision)) throw new CannotCheck(`--since ${revision}: there is no such commit`);
  const common = git(folder, ["merge-base", "--", revision, "HEAD"]);
  if (common.status !== 0) throw new CannotCheck(`HEAD and ${revision} have no commit in common`);
  const base = common.stdout.trim();
  const tracked = ["diff", "--name-only", "--no-renames", "--relative", "-z", base, "--"];
  const paths = [...listed(folder, tracked), ...listed(folder, [...untracked])];
  return { base, paths: [...new Set(paths)].sort() };
}

const untracked = ["ls-files", "--others", "--exclude-standard", "-z"];

/** All files of a checkout that git tracks or would track. */
export function filesIn(folder: string): readonly string[] {
  return listed(folder, ["ls-files", "--cached", ...untracked.slice(1)]);
}

function isCommit(folder: string, revision: string): boolean {
  return (
    git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]).status === 0
  );
}

/** The paths that git prints, each ended by a null byte. */
function listed(folder: string, words: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = git(folder, words);
  if (status !== 0) throw new CannotCheck(`git ${words[0]} failed: ${stderr.trim()}`);
  return stdout.split("\0").filter((path) => path !== "");
}

function git(
  folder: string,
  words: readonly string[],
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const ended = spawnSync("git", words, { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (ended.error)
    throw new CannotCheck(`git cannot be run (${ended.error.message}), so what changed is not known`);
  return ended;
}
