/** What is deployed: the bundle's files and the packages that its `package.json` names, and nothing else. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedPlace, type ProcessPlace, processPlace } from "../../runtime/store/testing/stores.ts";
import { packageRoot } from "../package/package.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-bundle-"));
const config = join(folder, "config");
const dist = join(folder, "dist");
const script = join(dist, "server.mjs");
const keys = Buffer.alloc(32, 7).toString("base64");

let place: ProcessPlace;
let server: { readonly child: ChildProcess; readonly url: string; readonly started: string } | undefined;

beforeAll(() => {
  place = processPlace();
  const realm = join(config, place.realm);
  mkdirSync(config);
  cpSync(join(packageRoot, "examples/inventory"), realm, { recursive: true });
  const realmc = join(packageRoot, "compiler/cli/realmc.mjs");
  const words = [realmc, "build", config, "--out", join(folder, "generated"), "--bundle", dist];
  execFileSync(process.execPath, words, { stdio: "pipe" });
  const { dependencies } = JSON.parse(readFileSync(join(dist, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    const installed = join(dist, "node_modules", name);
    mkdirSync(dirname(installed), { recursive: true });
    symlinkSync(join(packageRoot, "node_modules", name), installed);
  }
});
afterAll(async () => {
  await stop();
  await place.discard();
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({
  PATH: process.env["PATH"],
  SVC_STORE: place.setting,
  SVC_KEYS: keys,
  PORT: "0",
});

async function start(): Promise<string> {
  const child = spawn(process.execPath, [script], {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, realms } = JSON.parse(line);
    if (msg !== "ready") continue;
    server = { child, url: String(realms[0]), started: line };
    return server.url;
  }
  throw new Error("the server ended");
}

async function stop(): Promise<void> {
  if (server === undefined) return;
  const ended = once(server.child, "exit");
  server.child.kill("SIGTERM");
  await ended;
  server = undefined;
}

function command(...words: readonly string[]): string {
  return execFileSync(process.execPath, [script, ...words], {
    encoding: "utf8",
    env: environment(),
    stdio: "pipe",
  });
}

describe("a bundle alone in its folder", () => {
  it("serves, and keeps what it was given", async () => {
    const items = `${await start()}/stock/items`;
    expect(server?.started).toContain(`"store":"${place.setting.split("/?")[0]}"`);
    const body = JSON.stringify({ sku: "BOLT-M8", name: "Bolt M8", unit: "piece", price: 0.12 });
    const created = await fetch(items, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(created.status).toBe(201);
    await stop();
    const realm = await start();
    const again = await fetch(`${realm}/stock/items?where={"price":{"$lt":1}}`);
    expect(await again.json()).toMatchObject({ items: [{ sku: "BOLT-M8", price: 0.12 }] });
    const assets = (await (await fetch(`${realm}/_docs`)).text()).match(/_docs\/[\w.-]+/g) ?? [];
    expect(assets).toHaveLength(4);
    for (const asset of assets) expect((await fetch(`${realm}/${asset}`)).status).toBe(200);
    await stop();
  });

  it("makes keys", () => {
    expect(command("key", "create", "--realm", place.realm, "--name", "ops")).toMatch(/^svk_\S+\n$/);
  });

  it("copies what is stored to another store", async () => {
    const target = embeddedPlace();
    const lines = command("copy", "--from", "env:SVC_STORE", "--to", target.setting);
    expect(lines).toMatch(
      new RegExp(`^${place.realm} stock\\.items: 1 documents, sha256 [0-9a-f]{64}$`, "m"),
    );
    await target.discard();
  });

  it("is kept by V8 with a byte for each character", () => {
    // One character beyond Latin-1, in a comment perhaps, doubles what the text takes.
    const beyond = /[^\0-\xff]/.exec(readFileSync(script, "utf8"));
    expect(beyond).toBeNull();
  });
});
