/** The client on other platforms, as TypeScript and with the package, as its users have both. They come from the registry. */
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inventory } from "../../generated/inventory/realm.ts";
import { startRealm } from "../../runtime/instance/testing/servers.ts";
import { missingTools } from "../missing-tools.ts";
import { pack } from "../package/tarball.ts";
import { root } from "../workspace.ts";

const tools = fileURLToPath(new URL("platforms", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "realmc-platforms-"));

/** Writes, reads, is refused and follows. */
const program = (baseUrl: string): string => `
import { createClient, isApiError } from "./client.ts";

const { stock } = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });
const bolt = { sku: "BOLT", name: "Bolt", unit: "piece" } as const;
const item = await stock.items.create(bolt);
const found = await stock.items.list({ where: { sku: "BOLT" } });
const again = await stock.items.create(bolt).catch((error: unknown) => isApiError(error, "conflict"));
const { id: location_id } = await stock.locations.create({ warehouse: "east", aisle: 1, bin: 1 });
const told: number[] = [];
for await (const { documents } of stock.movements.live({ where: { item_id: item.id }, order_by: ["quantity"] })) {
  told.push(documents.length);
  if (documents.length === 1) break;
  await stock.movements.create({ item_id: item.id, location_id, quantity: 3, moved_at: new Date(0).toISOString() });
}
console.log(JSON.stringify({ found: found.items.length === 1 && found.items[0]?.id === item.id, again, told }));
`;

let missing: string | undefined;
beforeAll(async () => {
  missing = await missingTools(tools);
  const { path } = pack(place);
  const installed = join(place, "node_modules/realmc");
  mkdirSync(installed, { recursive: true });
  // Of the packages that it depends on, clients need none.
  execFileSync("tar", ["-xzf", path, "-C", installed, "--strip-components=1"]);
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module" }));
  write("client", readFileSync(join(root, "generated/inventory/client.ts"), "utf8"));
}, 300_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** A module, and what it is for those that run no TypeScript. */
function write(name: string, text: string): void {
  writeFileSync(join(place, `${name}.ts`), text);
  const { code } = transformSync(text.replace("./client.ts", "./client.js"), { loader: "ts" });
  writeFileSync(join(place, `${name}.js`), code);
}

/** The program of a platform, among the packages that hold it for each system. */
function programOf(scope: string, name: string): string | undefined {
  const folder = join(tools, "node_modules", scope);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .map((system) => join(folder, system, name))
    .find((path) => existsSync(path));
}

const platforms: readonly (readonly [string, () => string | undefined, readonly string[]])[] = [
  ["node", () => process.execPath, ["program.js"]],
  ["bun", () => programOf("@oven", "bin/bun"), ["run", "program.ts"]],
  [
    "deno",
    () => programOf("@deno", "deno"),
    ["run", "--check", "--node-modules-dir=manual", "--allow-net", "program.ts"],
  ],
];

for (const [name, find, words] of platforms)
  it(`writes, reads, is refused and follows on ${name}`, { timeout: 120_000 }, async ({ skip }) => {
    const path = find();
    if (path === undefined) return skip(missing ?? `there is no ${name} for this system`);
    // One each: streams of an address are opened slowly.
    const server = await startRealm([inventory]);
    try {
      write("program", program(server.url));
      const { stdout } = await promisify(execFile)(path, words, {
        cwd: place,
        env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", DENO_DIR: join(place, "deno"), NO_COLOR: "1" },
        timeout: 110_000,
      });
      expect(JSON.parse(stdout)).toEqual({ found: true, again: true, told: [0, 1] });
    } finally {
      await server.stop();
    }
  });
