/**
 * What a new user does with the README in an empty folder, with the package as it would be published, and what
 * `realmc init` gave them for every day after.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { install, pack, registryUnreachable } from "../package/tarball.ts";
import { root } from "../workspace.ts";
import { commandsOf, invariant, isAsShown } from "./readme.ts";

const shown = commandsOf(readFileSync(join(root, "README.md"), "utf8"), "A first run");
const place = mkdtempSync(join(tmpdir(), "realmc-first-run-"));
const folder = join(place, "empty");
let tarball: string;
/** Where the server of {@link dev} listens. */
let port = 0;
let dev: { readonly child: ChildProcess; printed: string } | undefined;

beforeAll(() => {
  mkdirSync(folder);
  tarball = pack(place).path;
}, 120_000);
afterAll(async () => {
  await stopDev();
  rmSync(place, { recursive: true, force: true });
});

const environment = () => {
  const { MONGODB_URI: _, ...rest } = process.env;
  return { ...rest, PORT: "0", NO_COLOR: "1", NO_UPDATE_NOTIFIER: "1" };
};

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function bash(command: string, more: Readonly<Record<string, string>> = {}): Outcome {
  return spawnSync("bash", ["-euo", "pipefail", "-c", command], {
    cwd: folder,
    encoding: "utf8",
    env: { ...environment(), ...more },
  });
}

/** Answers when as many lines were printed as are shown. */
async function startDev(command: string, output: string): Promise<void> {
  const child = spawn("bash", ["-c", command], { cwd: folder, env: environment(), detached: true });
  const run = { child, printed: "" };
  const lines = output.split("\n").length;
  dev = run;
  await new Promise<void>((done, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        run.printed += text;
        if (withoutWarnings(run.printed).split("\n").length > lines) done();
      });
    }
    child.once("close", () => failed(new Error(`it ended:\n${run.printed}`)));
  });
}

/** npm says what it thinks of the machine's settings, too. */
function withoutWarnings(printed: string): string {
  return printed.replace(/^npm warn .*\n/gm, "");
}

function expectAsShown(command: string, printed: string, output: string): void {
  const said = withoutWarnings(printed);
  expect(isAsShown(said, output), `${command}\nprinted\n${invariant(said)}\nshown\n${output}`).toBe(true);
}

async function stopDev(): Promise<void> {
  if (dev?.child.pid === undefined || dev.child.exitCode !== null || dev.child.signalCode !== null) return;
  const closed = once(dev.child, "close");
  // As a terminal does at Ctrl-C: npx and what it runs are a group.
  process.kill(-dev.child.pid, "SIGINT");
  await closed;
}

describe("the README's first run (needs the npm registry or its cache, bash and curl)", () => {
  it("reaches an answered request by four commands", () => {
    const commands = shown.slice(0, 4).map(({ command }) => command);
    expect(commands[0]).toMatch(/^npm install --save-dev realmc\b/);
    expect(commands.slice(1, 3)).toEqual(["npx realmc init", "npx realmc dev config"]);
    expect(commands[3]).toMatch(/^curl /);
  });

  it("happens as it is shown", { timeout: 300_000 }, async ({ skip, onTestFailed }) => {
    onTestFailed(() => console.error(dev?.printed));
    const values = new Map<string, string>();
    for (const { command, output } of shown) {
      if (command.startsWith("npm install")) {
        const words = command.split(" ").slice(2);
        try {
          install(folder, ...words.map((word) => (word === "realmc" ? tarball : word)));
        } catch (error) {
          const [reason] = registryUnreachable.exec(String(error)) ?? [];
          if (reason !== undefined) skip(`the npm registry cannot be reached: ${reason}`);
          throw error;
        }
      } else if (command.startsWith("npx realmc dev")) {
        await startDev(command, output);
        expectAsShown(command, dev?.printed ?? "", output);
        port = Number(/127\.0\.0\.1:(\d+)/.exec(dev?.printed ?? "")?.[1]);
      } else if (command.startsWith("TOKEN=")) {
        expect(command).toMatch(/^TOKEN=svs_/);
      } else {
        const { stdout, stderr } = bash(command.replaceAll(":8080", `:${port}`), Object.fromEntries(values));
        const printed = stdout + stderr;
        expectAsShown(command, printed, output);
        const [token] = /svs_[\w-]{43}/.exec(printed) ?? [];
        if (token !== undefined) values.set("TOKEN", token);
      }
    }
  });
});

describe("afterwards, in the folder that realmc init filled", () => {
  it("the scripts of package.json check, build, and compile what is emitted", { timeout: 120_000 }, async ({
    skip,
  }) => {
    if (!readdirSync(folder).includes("node_modules")) skip("the packages could not be installed");
    await stopDev();
    for (const script of ["check", "build", "types"]) {
      const { status, stdout, stderr } = bash(`npm run --silent ${script}`);
      expect(status, stdout + stderr).toBe(0);
      if (script === "check") expect(stdout.trim()).toBe("config: 1 realm, no problems");
    }
    // What `realmc dev` emitted is what `realmc build` emits.
    expect(bash("npx realmc build config --check").stdout.trim()).toBe("generated is up to date");
  });

  it("the workflow passes, and stops a pull request that breaks clients", { timeout: 120_000 }, ({
    skip,
  }) => {
    if (!readdirSync(folder).includes("node_modules")) skip("the packages could not be installed");
    const git = (words: string) =>
      execFileSync("git", words.split(" "), { cwd: folder, encoding: "utf8" }).trim();
    git("init --quiet --initial-branch main");
    git("config user.name Ada");
    git("config user.email ada@example.com");
    git("add .");
    git("commit --quiet --message first");
    git("clone --quiet --bare . ../origin.git");
    git("remote add origin ../origin.git");
    expect(git("ls-files")).not.toMatch(/^(?:node_modules|dist|data)\//m);
    expect(git("ls-files")).toMatch(/^generated\/manifest\.json$/m);

    expect(workflow(git("rev-parse HEAD"), "")).toEqual({ failed: [] });
    const rules = join(folder, "config/app/work/tasks/collection.yaml");
    writeFileSync(
      rules,
      readFileSync(rules, "utf8").replace("user != null && data.status", "hasRole('lead') && data.status"),
    );
    expect(bash("npm run --silent build").status).toBe(0);
    expect(workflow(git("rev-parse HEAD"), "")).toEqual({ failed: ["API changes"] });
    expect(workflow(git("rev-parse HEAD"), "--allow-breaking")).toEqual({ failed: [] });
    writeFileSync(rules, "rules: { raed: true }\n");
    expect(workflow(git("rev-parse HEAD"), "").failed).toContain("Configuration");
  });

  /** Runs the named steps of the workflow as for a pull request. */
  function workflow(base: string, allowed: string): { readonly failed: readonly string[] } {
    const { jobs } = parse(readFileSync(join(folder, ".github/workflows/realmc.yml"), "utf8"));
    const steps: readonly { readonly name?: string; readonly run?: string }[] = jobs.realmc.steps;
    const temporary = mkdtempSync(join(place, "runner-"));
    const failed = steps.flatMap(({ name, run }) => {
      if (name === undefined || run === undefined) return [];
      const { status } = bash(run, { BASE: base, ALLOWED: allowed, RUNNER_TEMP: temporary });
      return status === 0 ? [] : [name];
    });
    return { failed };
  }
});
