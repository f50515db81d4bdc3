/**
 * What a new user types after the README, with a checkout that nothing was installed in, and what `realmc init` gave
 * them for every day after.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { registryUnreachable } from "../package/tarball.ts";
import { root } from "../workspace.ts";
import { commandsOf, commandsOnTop, invariant, isAsShown } from "./readme.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");
const shown = commandsOf(readme, "A first run");
const place = mkdtempSync(join(tmpdir(), "realmc-first-run-"));
const checkout = join(place, "realmc");
/** Where `realmc init` writes. */
const folder = join(place, "shop");
/** Where commands are typed: `cd` changes it. */
let here = checkout;
/** Where the server of {@link dev} listens. */
let port = 0;
let dev: { readonly child: ChildProcess; printed: string } | undefined;

beforeAll(() => {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  for (const path of execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\0")) {
    if (path !== "" && existsSync(join(root, path))) cpSync(join(root, path), join(checkout, path));
  }
});
afterAll(async () => {
  await stopDev();
  // Installed projects have very many files.
  rmSync(place, { recursive: true, force: true });
}, 120_000);

/** Of a terminal: nothing of this checkout's npm and its tools, which the tests run in. */
const environment = () => {
  const ofTests =
    /^(?:MONGODB_URI|NODE_ENV|NODE_OPTIONS|INIT_CWD|TEST|VITEST.*|REALMC_.*|npm_(?!config_).*)$/;
  const kept = Object.entries(process.env).filter(([name]) => !ofTests.test(name));
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((each) => !/node_modules/.test(each));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    PORT: "0",
    NO_COLOR: "1",
    NO_UPDATE_NOTIFIER: "1",
    // What npm has fetched before is not fetched again.
    npm_config_prefer_offline: "true",
    npm_config_fetch_timeout: "20000",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
};

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function bash(command: string, more: Readonly<Record<string, string>> = {}): Outcome {
  const left = join(place, "left");
  const outcome = spawnSync("bash", ["--norc", "-euo", "pipefail", "-c", `${command}\npwd > '${left}'`], {
    cwd: here,
    encoding: "utf8",
    env: { ...environment(), ...more },
  });
  if (outcome.status === 0) here = readFileSync(left, "utf8").trim();
  return outcome;
}

/** Why a command of npm's could not do it, where that is the registry; it may have failed for other reasons. */
function unreachable({ status, stderr }: Outcome): string | undefined {
  return status === 0 ? undefined : registryUnreachable.exec(stderr)?.[0];
}

/** Answers when it has printed enough. */
async function startDev(
  command: string,
  isEnough: (printed: string) => boolean,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { ...environment(), ...more };
  const child = spawn("bash", ["--norc", "-c", command], { cwd: here, env, detached: true });
  const run = { child, printed: "" };
  dev = run;
  await new Promise<void>((done, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        run.printed += text;
        if (isEnough(withoutWarnings(run.printed))) done();
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
  it("needs no package that is not published", () => {
    const commands = shown.map(({ command }) => command);
    expect(commands.slice(0, 6)).toEqual([
      "npm install",
      "npm pack --silent --pack-destination ..",
      "mkdir ../shop && cd ../shop",
      expect.stringMatching(/^npm install --save-dev \.\.\/realmc-.*\.tgz typescript @types\/node$/),
      "npx realmc init",
      "npx realmc dev config",
    ]);
    expect(commands[6]).toMatch(/^curl /);
  });

  it("happens as it is shown", { timeout: 900_000 }, async ({ skip, onTestFailed }) => {
    onTestFailed(() => console.error(dev?.printed));
    const values = new Map<string, string>();
    for (const { command, output } of shown) {
      if (command.startsWith("npx realmc dev")) {
        const lines = output.split("\n").length;
        await startDev(command, (printed) => printed.split("\n").length > lines);
        expectAsShown(command, dev?.printed ?? "", output);
        port = Number(/127\.0\.0\.1:(\d+)/.exec(dev?.printed ?? "")?.[1]);
      } else if (command.startsWith("TOKEN=")) {
        expect(command).toMatch(/^TOKEN=svs_/);
      } else {
        const outcome = bash(command.replaceAll(":8080", `:${port}`), Object.fromEntries(values));
        const reason = command.startsWith("npm install") ? unreachable(outcome) : undefined;
        if (reason !== undefined) skip(`the npm registry cannot be reached: ${reason}`);
        const printed = outcome.stdout + outcome.stderr;
        expectAsShown(command, printed, output);
        const [token] = /svs_[\w-]{43}/.exec(printed) ?? [];
        if (token !== undefined) values.set("TOKEN", token);
      }
    }
  });
});

/** `npm start` says where it will listen before it does. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

describe("afterwards, in the folder that realmc init filled", () => {
  it("the scripts of package.json check, build, and compile what is emitted", { timeout: 600_000 }, async ({
    skip,
  }) => {
    if (!existsSync(join(folder, "node_modules"))) skip("the packages could not be installed");
    await stopDev();
    for (const script of ["check", "build", "types", "test"]) {
      const { status, stdout, stderr } = bash(`npm run --silent ${script}`);
      expect(status, stdout + stderr).toBe(0);
      if (script === "check") expect(stdout.trim()).toBe("config: 1 realm, no problems");
    }
    // What `realmc dev` emitted is what `realmc build` emits.
    expect(bash("npx realmc build config --check").stdout.trim()).toBe("generated is up to date");
  });

  it("the workflow passes, and stops a pull request that breaks clients", { timeout: 1_500_000 }, ({
    skip,
  }) => {
    if (!existsSync(join(folder, "node_modules"))) skip("the packages could not be installed");
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
    // Who may create a task is what a rule test says, too.
    expect(workflow(git("rev-parse HEAD"), "")).toEqual({ failed: ["Rules", "API changes"] });
    rmSync(join(folder, "config/app/work/tasks/_tests"), { recursive: true });
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

describe("what the README begins with (in the same checkout)", () => {
  const [start = "", test = ""] = commandsOnTop(readme);

  it("is two commands", () => {
    expect(commandsOnTop(readme)).toEqual(["npm install && npm start", "npm install && npm test"]);
  });

  it("serves the examples, with a curl line that works", { timeout: 900_000 }, async ({ skip }) => {
    if (!existsSync(join(checkout, "node_modules"))) skip("the packages could not be installed");
    await stopDev();
    here = checkout;
    await startDev(start, (printed) => /^Try:\n(.*\n){2}/m.test(printed), { PORT: String(await freePort()) });
    const [, line = ""] = /^Try:\n((?:.*\n){2})/m.exec(dev?.printed ?? "") ?? [];
    expect(JSON.parse(bash(`${line.trim()} --silent`).stdout)).toMatchObject({ name: "Compilers & Co" });
    await stopDev();
  });

  it("runs tests", { timeout: 900_000 }, ({ skip }) => {
    if (!existsSync(join(checkout, "node_modules"))) skip("the packages could not be installed");
    // All of them are what runs this one.
    const { status, stdout, stderr } = bash(`${test} -- scripts/first-run/readme.test.ts`);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/Test Files .*1 passed/);
  });
});
