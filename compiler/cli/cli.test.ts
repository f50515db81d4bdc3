/** `realmc`: exit codes, what goes where, and that nothing is written when something is wrong. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../package/package.ts";
import { commandsIn, realmcIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-cli-"));
const config = join(folder, "config");
const broken = join(folder, "broken");
const out = join(folder, "generated");
const dist = join(folder, "dist");
const realmc = commandsIn(folder);
const asProcess = realmcIn(folder);

beforeAll(() => {
  write(config, "plain/realm.yaml", "auth: disabled\n");
  write(
    config,
    "plain/db/things/schema.json",
    '{"type": "object", "properties": {"name": {"type": "string"}}}\n',
  );
  cpSync(config, broken, { recursive: true });
  write(broken, "plain/realm.yaml", "auth: disabled\nsignupp: open\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe("realmc", () => {
  test("wrong command lines: exit 2, a message, a suggestion", async () => {
    const typo = asProcess("biuld", "config");
    expect([typo.status, typo.stdout]).toEqual([2, ""]);
    expect(typo.stderr).toContain("Did you mean build?");
    expect(await realmc("check", "nowhere")).toEqual({
      status: 2,
      stdout: "",
      stderr: "error: there is no folder nowhere\n",
    });
    const realm = await realmc("build", "config", "--realm", "plian");
    expect([realm.status, realm.stderr]).toEqual([
      2,
      "error: there is no realm 'plian' in config (did you mean 'plain'?)\n",
    ]);
    const format = await realmc("check", "config", "--format", "xml");
    expect(format.status).toBe(2);
    expect(format.stderr).toContain("Allowed choices are text, json, github, sarif.");
    const base = await realmc("check", "config", "--relative-to", "nowhere");
    expect([base.status, base.stderr]).toEqual([2, "error: there is no folder nowhere\n"]);
  });

  test("output that cannot be: exit 2, a message, nothing written", async () => {
    write(folder, "file", "");
    write(folder, "package/package.json", '{ "name": "mine" }');
    symlinkSync(config, join(folder, "alias"));
    const before = readdirSync(config, { recursive: true });
    const build = async (...options: readonly string[]): Promise<string> => {
      const { status, stdout, stderr } = await realmc("build", "config", ...options);
      expect([status, stdout]).toEqual([2, ""]);
      return stderr;
    };
    const beside = "(give a folder beside config)";
    expect(await build("--out", "config/x")).toBe(
      `error: --out config/x lies in the configuration ${beside}\n`,
    );
    expect(await build("--out", "alias/x")).toBe(
      `error: --out alias/x lies in the configuration ${beside}\n`,
    );
    expect(await build("--bundle", ".")).toBe(`error: --bundle . holds the configuration ${beside}\n`);
    expect(await build("--out", "file/x")).toBe("error: --out file/x cannot be made: file is no folder\n");
    expect(await build("--out", "x", "--bundle", "x")).toContain("need folders of their own");
    expect(await build("--bundle", "package")).toContain("--bundle package holds another package.json");
    expect(await build("--out", "x", "--check", "--bundle", "y")).toContain("--check writes nothing");
    expect(readdirSync(config, { recursive: true })).toEqual(before);
    expect(readFileSync(join(folder, "package/package.json"), "utf8")).toContain("mine");
  });

  test("what the file system refuses: exit 2, a message, no stack", async () => {
    mkdirSync(join(folder, "odd/plain"), { recursive: true });
    mkdirSync(join(folder, "odd/plain/realm.ts"));
    const { status, stdout, stderr } = await realmc("build", "config", "--out", "odd");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: cannot write odd: it is a folder\n$/m);
  });

  test("check: diagnostics on stdout, as text or JSON; exit 1", async () => {
    const text = asProcess("check", "broken");
    expect(text.status).toBe(1);
    expect(text.stdout).toMatch(/^plain\/realm\.yaml:2:1 error \S+ .*signupp/);
    expect(text.stdout).not.toContain("\u001b");
    const json = await realmc("check", "broken", "--format", "json");
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { file: "plain/realm.yaml", line: 2, column: 1, severity: "error" },
    ]);
    expect(await realmc("check", "config")).toMatchObject({
      status: 0,
      stdout: "config: 1 realm, no problems\n",
    });
  });

  test("build: with errors, exit 1, diagnostics on stderr, nothing written", async () => {
    const { status, stdout, stderr } = await realmc("build", "broken", "--out", out, "--bundle", dist);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("plain/realm.yaml:2:1 error");
    expect([existsSync(out), existsSync(dist)]).toEqual([false, false]);
  });

  test("build: makes the output and a bundle that runs elsewhere; --check finds what is stale", async () => {
    const built = asProcess("build", "config", "--out", "generated", "--bundle", "dist");
    expect(built.status).toBe(0);
    expect(built.stdout).toMatch(/^1 realm in generated and dist: \d+ files, \d+ written \(\d+\.\d s\)\n$/);
    expect(readdirSync(dist).sort()).toEqual([
      "docs",
      "package-lock.json",
      "package.json",
      "plain.openapi.json",
      "server.mjs",
    ]);
    const { dependencies } = JSON.parse(readFileSync(join(dist, "package.json"), "utf8"));
    expect(Object.values(dependencies).every((version) => /^\d+\.\d+\.\d+$/.test(String(version)))).toBe(
      true,
    );

    // As pnpm starts it. Where Node looks for what modules import, there is nothing.
    process.env["NODE_PATH"] = join(packageRoot, "node_modules");
    const bare = asProcess("serve", "dist");
    delete process.env["NODE_PATH"];
    expect([bare.status, bare.stdout]).toEqual([2, ""]);
    expect(bare.stderr).toContain("npm ci --prefix dist");
    // Where it is deployed, `npm install` brings what the package file names.
    symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
    const environment = { ...process.env, SVC_STORE: `sqlite:${join(folder, "data")}` };
    const words = ["dist/server.mjs", "key", "create", "--realm", "plain", "--name", "n"];
    const key = spawnSync(process.execPath, words, { encoding: "utf8", cwd: folder, env: environment });
    expect(key.stdout).toMatch(/^svk_\S+\n$/);

    expect((await realmc("build", "config", "--out", "generated", "--check")).status).toBe(0);
    write(out, "server.ts", "edited");
    const stale = await realmc("build", "config", "--out", "generated", "--check");
    expect(stale.status).toBe(1);
    expect(stale.stderr).toContain("generated/server.ts differs");
    expect(readFileSync(join(out, "server.ts"), "utf8")).toBe("edited");

    await realmc("build", "config", "--out", "generated");
    write(out, "old/realm.ts", "// Generated by realmc from old/realm.yaml. Do not edit.\n");
    write(out, "old/openapi.json", "{}");
    const left = await realmc("build", "config", "--out", "generated", "--check");
    expect(left.status).toBe(1);
    expect(left.stderr).toContain("generated/old/realm.ts is no longer emitted");
    expect(left.stderr).toContain("generated/old/openapi.json is not of this output, and stays");
    const cleaned = await realmc("build", "config", "--out", "generated");
    expect(cleaned.stdout).toContain("1 removed");
    expect(cleaned.stderr).toContain("generated/old/openapi.json is not of this output, and stays");
    expect(readdirSync(join(out, "old"))).toEqual(["openapi.json"]);
    expect((await realmc("build", "config", "--out", "generated", "--check")).status).toBe(0);
  });

  test("serve, key create and copy need a bundle", async () => {
    expect((await realmc("serve", "none")).status).toBe(2);
    const copy = await realmc("copy", "--from", "sqlite:./a", "--to", "sqlite:./b", "--dist", "none");
    expect([copy.status, copy.stdout]).toEqual([2, ""]);
    expect(copy.stderr).toContain("no bundle in none");
    expect((await realmc("copy", "--to", "sqlite:./a")).stderr).toContain("--from <store>");
    const key = await realmc("key", "create", "--realm", "plain", "--name", "n", "--dist", "none");
    expect([key.status, key.stdout]).toEqual([2, ""]);
    expect(key.stderr).toContain("no bundle in none");
  });
});
