import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { counted } from "../diagnostics/render.ts";
import { type Project, planProject, writeProject } from "../init/project.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { onDisk } from "./folders.ts";
import { isInstalled, upwards } from "./installed.ts";
import type { Terminal } from "./terminal.ts";

export interface InitOptions {
  /** Leave files that are there as they are, and write the others. */
  readonly keepExisting?: true;
}

/**
 * `realmc init`: a configuration to start from, with the settings of its surroundings. Files that are there are never
 * overwritten; where one is in the way, nothing is written, unless it is to be kept.
 * @throws UsageError
 */
export async function init(
  folder: string,
  { keepExisting }: InitOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return onDisk(folder, async () => {
    requireNoFile(folder);
    const project = await planProject(folder);
    if (project.inTheWay.length > 0 && !keepExisting) return refuse(project, terminal);
    await writeProject(folder, project);
    report(folder, project, terminal);
    return exit.ok;
  });
}

function requireNoFile(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) throw new UsageError(`${folder} is no folder`);
}

function refuse({ inTheWay }: Project, terminal: Terminal): ExitCode {
  const they = inTheWay.length === 1 ? "a file is" : `${inTheWay.length} files are`;
  terminal.fail(`${they} in the way, and nothing was written`);
  for (const path of inTheWay) terminal.err(`  ${path}`);
  if (inTheWay.includes("package.json")) {
    terminal.err(
      "hint: after npm install --save-dev realmc, package.json is completed and no longer in the way",
    );
  }
  terminal.err("hint: --keep-existing leaves what is there as it is and writes the other files");
  return exit.diagnostics;
}

function report(folder: string, project: Project, terminal: Terminal): void {
  const { files, completed, inTheWay } = project;
  for (const { path } of files) terminal.out(`  ${path}`);
  if (completed !== undefined) terminal.out(`  ${completed.path} (completed)`);
  for (const path of inTheWay) terminal.out(`  ${path} (kept as it was)`);
  const place = relative("", folder);
  const written = `${counted(files.length, "file")} written`;
  terminal.out(`${written} to ${place === "" ? "this folder" : place}\n`);
  for (const line of nextSteps(place, project)) terminal.out(line);
  const repository = upwards(folder).find((parent) => existsSync(join(parent, ".git")));
  if (repository !== undefined && repository !== resolve(folder)) {
    const top = relative("", repository) || "this folder";
    terminal.out("");
    terminal.out(`GitHub looks for workflows at the top of a repository: move .github to ${top}.`);
  }
}

function nextSteps(place: string, { inTheWay }: Project): readonly string[] {
  const install = inTheWay.includes("package.json")
    ? "npm install --save-dev realmc typescript @types/node"
    : "npm install";
  return [
    "Next:",
    ...(place === "" ? [] : [`  cd ${quoted(place)}`]),
    ...(["realmc", "typescript", "@types/node"].every((name) => isInstalled(name, place))
      ? []
      : [`  ${install}`]),
    "  npx realmc dev config",
    "",
    "Then, in another terminal, an account:",
    "  curl http://127.0.0.1:8080/v1/app/_auth/signup -H 'Content-Type: application/json' \\",
    `    -d '{"email":"ada@example.com","password":"correct horse"}'`,
    "",
    "And the test of its function:",
    "  npm test",
  ];
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@%+,:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
