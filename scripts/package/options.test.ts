/** Every documented option of every command, run from the installed package. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { install, pack, registryUnreachable } from "./tarball.ts";

const place = mkdtempSync(join(tmpdir(), "realmc-options-"));
const project = join(place, "shop");
const script = join(project, "node_modules/.bin/realmc");
const options = {
  cwd: project,
  encoding: "utf8",
  env: {
    PATH: process.env["PATH"],
    SVC_STORE: "sqlite:./data",
    SVC_KEYS: Buffer.alloc(32, 7).toString("base64"),
  },
} as const;

const unreachable = installedPackage();
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Why the package cannot be installed where the registry cannot be reached; empty where it was. */
function installedPackage(): string {
  mkdirSync(project);
  try {
    install(project, pack(place).path, "@types/node@20");
    return "";
  } catch (error) {
    const [reason] = registryUnreachable.exec(String(error)) ?? [];
    if (reason === undefined) throw error;
    return ` (skipped: the registry cannot be reached, ${reason})`;
  }
}

/** A command line, and what it says where it is refused for what the realm has not; absent: it is done. */
interface Run {
  readonly words: readonly string[];
  readonly refused?: RegExp;
}

function run(line: string, refused?: RegExp): Run {
  return { words: line.split(" "), ...(refused === undefined ? {} : { refused }) };
}

/** In this order: later ones use what earlier ones made. */
const runs: readonly Run[] = [
  run("--version"),
  run("init --keep-existing"),
  run("check config --format json --no-hints"),
  run("check config --format github --relative-to ."),
  run("check config --format sarif"),
  run("build config --out generated --bundle dist --realm app --standalone-client"),
  run("build config --out generated --check --standalone-client"),
  run("check config --against generated"),
  run("diff generated config --format json --allow-breaking"),
  run("explain unknown-key"),
  run('explain rule work/tasks read --realm app --caller anonymous --caller {"roles":["lead"]} --json'),
  run("key create --realm app --name a --admin --replace --dist dist"),
  run("key create --realm app --name b --areas data"),
  run('key create --realm app --name c --scopes {"read":"*"} --networks 10.0.0.0/8 --expires-in 30d'),
  run("key create --realm app --name d --on-behalf-of"),
  run("key create --realm app --name e --on-behalf-of-required"),
  run("key create --realm app --name f --user nobody", /user must be a user of this realm/),
  run("key create --realm app --name g --org o --roles r --teams t", /org needs organizations/),
  run("key list --realm app --dist dist"),
  run("key rotate --realm app --name a --overlap 1h --dist dist"),
  run("key revoke --realm app --name b --dist dist"),
  run("key revoke --realm app --id 01m80gqnc35k9gxxpya9", /has no key with the id/),
  run("copy --from sqlite:./data --to sqlite:./other --realm app --into-non-empty --dist dist"),
  run(
    "copy --from sqlite:./data --to sqlite:./third --files-from ./data --files-to ./files",
    /storage|files/,
  ),
  run(
    "invoke app/work/finish --input input.json --as 01m80gqnc35k9gxxpya9 --config config --store sqlite:./data",
    /has no active user/,
  ),
];

/** Runs until it is interrupted. */
const developed = "dev config --out developed --data ./dev-data --port 0 --key --standalone-client".split(
  " ",
);

/** What every command has. */
const everywhere = new Set(["--help"]);

function realmc(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(script, words, options);
  return { status, stdout, stderr };
}

/** The options that a command's help lists, and the commands below it. */
function documented(command: readonly string[]): { options: readonly string[]; commands: readonly string[] } {
  const help = execFileSync(script, [...command, "--help"], options);
  const [, listed = ""] = /^Options:\n((?: .*\n|\n(?= ))*)/m.exec(help) ?? [];
  const [, below = ""] = /^Commands:\n((?: .*\n)*)/m.exec(help) ?? [];
  return {
    options: [...listed.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name = ""]) => name),
    commands: [...below.matchAll(/^ {2}([a-z]\w*)/gm)].map(([, name = ""]) => name),
  };
}

/** Each option with its command: `build --out`. */
function allDocumented(command: readonly string[] = []): readonly string[] {
  const { options: own, commands } = documented(command);
  return [
    ...own.map((name) => [...command, name].join(" ")),
    ...commands.flatMap((name) => (name === "help" ? [] : allDocumented([...command, name]))),
  ];
}

/** The command of a command line: its first words, but for what they are about. */
function commandOf([first = "", second = ""]: readonly string[]): string {
  if (first.startsWith("-")) return "";
  return first === "key" || (first === "explain" && second === "rule") ? `${first} ${second}` : first;
}

describe.skipIf(unreachable !== "")(`commands of the installed package${unreachable}`, () => {
  beforeAll(() => {
    writeFileSync(join(project, "input.json"), '{"task":"01m80gqnc35k9gxxpya9","hours":1}');
  });

  test("each documented option is tried", () => {
    const tried = [...runs.map(({ words }) => words), developed].flatMap((words) =>
      words.filter((word) => word.startsWith("--")).map((word) => `${commandOf(words)} ${word}`.trim()),
    );
    const missing = allDocumented().filter(
      (each) => !tried.includes(each) && !everywhere.has(each.split(" ").at(-1) ?? ""),
    );
    expect(missing).toEqual([]);
  });

  test("each runs, or is refused for what the realm has not", () => {
    for (const { words, refused } of runs) {
      const { status, stdout, stderr } = realmc(words);
      const said = [words.join(" "), status, stderr];
      if (refused === undefined) expect(said).toEqual([words.join(" "), 0, expect.anything()]);
      else expect([status === 0, stdout + stderr]).toEqual([false, expect.stringMatching(refused)]);
      expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    }
  });

  test("a client that imports nothing is one file", () => {
    const client = readFileSync(join(project, "generated/app/client.ts"), "utf8");
    expect(client).not.toMatch(/^import |from "/m);
  });

  test("dev builds, serves and ends", async () => {
    const child = spawn(script, developed, { ...options, stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    try {
      for await (const line of createInterface({ input: child.stdout })) if (/\/v1\/app/.test(line)) break;
    } finally {
      child.kill("SIGINT");
    }
    expect((await ended)[0]).toBe(0);
  });
});
