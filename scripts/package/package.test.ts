/** The package as its users have it: packed, installed into an empty folder, and used there on two versions of Node. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../../runtime/testing/random.ts";
import { strictest } from "../strictest.ts";
import { root } from "../workspace.ts";
import { installedIn } from "./installed.ts";
import { linkedFromReadme, packagesNeeded, readWhileRunning } from "./needs.ts";
import { install, pack, registryUnreachable, type Tarball } from "./tarball.ts";

const place = mkdtempSync(join(tmpdir(), "realmc-package-"));
const project = join(place, "shop");

const tools = join(place, "tools");
/** The newest Node that the registry offers; that of the tests may be it. */
const newestNode = join(tools, "node_modules/node/bin/node");
const unreachable = reasonAgainst(() => {
  mkdirSync(tools);
  install(
    tools,
    "node@latest",
    "@types/node@20",
    "typescript-5.4@npm:typescript@5.4",
    "typescript-latest@npm:typescript@latest",
  );
});

let tarball: Tarball;

beforeAll(() => {
  tarball = pack(place);
}, 300_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Why something cannot be done where the registry cannot be reached; empty where it was done. */
function reasonAgainst(work: () => void): string {
  try {
    work();
    return "";
  } catch (error) {
    const [reason] = registryUnreachable.exec(String(error)) ?? [];
    if (reason === undefined) throw error;
    return ` (skipped: the registry cannot be reached, ${reason})`;
  }
}

describe("what is published", () => {
  it("is what users need, and no sources, tests or scripts", () => {
    const folders = new Set(tarball.files.map((path) => path.replace(/[^/]*$/, "")));
    expect(
      [...folders].filter(
        (path) => !/^(?:lib\/(?:runtime|sources)|compiler\/init\/template|examples)\/./.test(path),
      ),
    ).toEqual([
      "",
      "compiler/cli/",
      "compiler/init/template/",
      "docs/",
      "docs/internals/",
      "docs/schemas/",
      "generated/helpdesk/support/tickets/",
      "lib/cli/",
      "lib/docs/",
      "lib/runtime/",
    ]);
    const ofTests = /\.test\.|testing|testdata|golden|fixture/;
    const template = "compiler/init/template/config/app/work/_func/finish/handler";
    expect(tarball.files.filter((path) => ofTests.test(path))).toEqual([
      `${template}.test.ts.template`,
      "docs/testing.md",
    ]);
    const sources = tarball.files.filter((path) => /\.ts$/.test(path) && !/\.d\.ts$/.test(path));
    // What clients are made of, handlers and migrations of examples, the file that the README shows, and what a new project starts from.
    const expected = /^lib\/sources\/runtime\/|^examples\/\w+\/\w+\/(?:_func|\w+\/_migrations)\//;
    expect(sources.filter((path) => !expected.test(path))).toEqual([
      `${template}.ts`,
      "generated/helpdesk/support/tickets/rules.ts",
    ]);
  });

  it("has what the README links to", () => {
    const links = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/\]\(([^)#]+)[^)]*\)/g)].flatMap(
      ([, target = ""]) => (/^[a-z]+:/.test(target) ? [] : [target]),
    );
    expect(links).toContain("docs/queries.md");
    const isThere = (target: string) =>
      tarball.files.some((path) => path === target || path.startsWith(`${target}/`));
    expect(links.filter((target) => !isThere(target))).toEqual([]);
  });

  it("depends on what its modules load, and on nothing else", async () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const names = Object.keys(dependencies);
    // A part of Fastify, whose version is held back: docs/dependencies.md.
    expect(await packagesNeeded(names)).toEqual(names.filter((name) => name !== "light-my-request").sort());
  });

  it("has what the compiler reads while it runs, and what its README and documentation link to", () => {
    const isThere = (target: string) =>
      tarball.files.some((path) => path === target || path.startsWith(`${target}/`));
    expect(readWhileRunning()).toContain("compiler/init/template");
    const linked = linkedFromReadme();
    // Measurements and tests are of the checkout alone.
    const own = [...linked].filter((path) => !/^scripts\/|\.test\.ts$/.test(path));
    expect([...readWhileRunning(), ...own].filter((path) => !isThere(path))).toEqual([]);
    expect(tarball.files.filter((path) => /\.md$/.test(path) && !linked.has(path))).toEqual([]);
  });

  it("is as publint would have it", async () => {
    const bytes = readFileSync(tarball.path);
    const pkg = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
    const { messages } = await publint({ pack: pkg, strict: true });
    expect(messages).toEqual([]);
  });

  it("leaves nothing behind in the checkout that git would see", () => {
    const ignored = execFileSync("git", ["check-ignore", "lib"], { cwd: root, encoding: "utf8" });
    expect(ignored.trim()).toBe("lib");
  });
});

describe.skipIf(unreachable !== "")(`installed into an empty folder${unreachable}`, () => {
  beforeAll(() => {
    mkdirSync(project);
    install(project, tarball.path, "@types/node@20");
    installedIn(project, process.execPath).realmc("init");
  }, 300_000);

  describe.each([
    { which: "this", node: process.execPath },
    { which: "the newest", node: newestNode },
  ])("on $which Node", ({ which, node }) => {
    const { realmc, serve } = installedIn(project, node);
    const dist = join(place, `dist-${which}`);

    it("tells its version, and what commands there are", () => {
      const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      expect(realmc("--version")).toBe(`${version}\n`);
      expect(realmc("--help")).toMatch(/realmc build config/);
    });

    it("builds what it starts from, and emits the same on every Node", () => {
      realmc("check", "config");
      realmc("build", "config", "--out", "generated", "--bundle", "dist");
      expect(realmc("build", "config", "--out", "generated", "--check")).toBe("generated is up to date\n");
    });

    it("runs the test of its handler", () => {
      const test = "config/app/work/_func/finish/handler.test.ts";
      const words = ["--import", "realmc/register", "--test", test];
      // Runners of tests tell each other, by their environment, that they run.
      const env = { PATH: process.env["PATH"] };
      const { status, stdout, stderr } = spawnSync(node, words, { cwd: project, encoding: "utf8", env });
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/pass 1\n/);
    });

    it("makes a key, serves, and ends", async () => {
      const [key] = realmc("key", "create", "--realm", "app", "--name", which, "--admin")
        .trim()
        .split("\n")
        .slice(-1);
      const code = await serve("dist", async (url) => {
        const created = await fetch(`${url}/work/projects`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ name: `On ${which} Node` }),
        });
        expect(created.status).toBe(201);
        const page = await fetch(`${url}/_docs`);
        expect(page.status).toBe(200);
        for (const [, asset] of (await page.text()).matchAll(/(?:src|href)="([^"#]*\/_docs\/[^"]+)"/g)) {
          expect((await fetch(new URL(String(asset), url))).status, asset).toBe(200);
        }
      });
      expect(code).toBe(0);
    });

    it("makes a bundle that runs with the packages that it names alone", async () => {
      cpSync(join(project, "dist"), dist, { recursive: true });
      // As docs/deploying.md has it: what its lock file names, and nothing else.
      const words = ["ci", "--omit=dev", "--prefer-offline", "--fetch-timeout=20000"];
      execFileSync("npm", words, { cwd: dist, stdio: ["ignore", "ignore", "pipe"] });
      const code = await serve(dist, async (url) => {
        expect((await fetch(`${url}/_openapi.json`)).status).toBe(200);
      });
      expect(code).toBe(0);
    });
  });

  it("builds clients that need no package", () => {
    const { realmc } = installedIn(project, process.execPath);
    realmc("build", "config", "--out", "alone", "--standalone-client");
    expect(realmc("build", "config", "--out", "alone", "--standalone-client", "--check")).toBe(
      "alone is up to date\n",
    );
  });

  it("writes a migration, which is built and checked with the rest", () => {
    const { realmc } = installedIn(project, process.execPath);
    realmc("migration", "new", "app/work/tasks", "again");
    realmc("build", "config", "--out", "generated");
    const emitted = readFileSync(join(project, "generated/app/work/tasks/_migrations/0001-again.js"), "utf8");
    expect(emitted).toContain("forward: (document) => ({ ...document })");
    expect(emitted).not.toContain("node_modules");
  });

  describe.each(["typescript-5.4", "typescript-latest"])("types, by %s", (compiler) => {
    const program = join(tools, "node_modules", compiler, "bin/tsc");
    const check = (...words: readonly string[]) => {
      const { status, stdout } = spawnSync(process.execPath, [program, ...words], {
        cwd: project,
        encoding: "utf8",
      });
      return { status, stdout };
    };

    // In short runs each resolves modules in one of the two ways.
    const resolutions = compiler === "typescript-5.4" ? ["nodenext"] : ["bundler"];
    it.each(isFull ? ["nodenext", "bundler"] : resolutions)(
      "hold under the strictest settings and moduleResolution %s",
      (resolution) => {
        const settings = `strictest-${compiler}-${resolution}.json`;
        writeFileSync(join(project, settings), JSON.stringify(strictestWith(resolution)));
        expect(check("-p", settings)).toEqual({ status: 0, stdout: "" });
      },
    );

    it("hold under the settings that a new project has, and what is wrong does not compile", () => {
      const settings = { extends: "./tsconfig.json", files: ["wrong.ts"] };
      writeFileSync(join(project, "wrong.json"), JSON.stringify(settings));
      writeFileSync(join(project, "wrong.ts"), 'import { main } from "realmc/runtime";\nawait main(1);\n');
      const { stdout } = check("-p", "wrong.json");
      // Nothing else is wrong.
      expect(stdout.match(/error TS/g)).toHaveLength(1);
      expect(stdout).toMatch(/^wrong\.ts\(2,12\): error TS2345: .*'Program'/);
    });
  });
});

/** Declarations of packages are checked too. */
function strictestWith(moduleResolution: string): object {
  return {
    compilerOptions: {
      ...strictest,
      lib: ["es2023", "dom", "dom.iterable"],
      module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
      moduleResolution,
      typeRoots: [join(tools, "node_modules/@types")],
      types: ["node"],
      resolveJsonModule: true,
      skipLibCheck: false,
    },
    include: ["generated"],
  };
}
