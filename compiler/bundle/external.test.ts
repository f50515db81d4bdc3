/** What stays out of a bundle is found beside it, and named in its `package.json` where the server needs it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { installedFolder, packageRoot } from "../package/package.ts";
import { externalPackages, neededPackages, serverOptions } from "./bundle.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "realmc-external-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server of its own sort: stores an image, and asks a bucket that is nowhere. */
const text = `
import { openBlobs } from "./runtime/blobs/open.ts";
import { openSpool } from "./runtime/blobs/spool.ts";
import { judge } from "./runtime/files/content/judge.ts";
import { rendered } from "./runtime/files/content/images.ts";
const definition = { storage: { driver: { kind: "s3", bucket: "b", endpoint: "http://127.0.0.1:9", pathStyle: true } } };
const spool = await openSpool(process.argv[2]);
const bytes = Buffer.from(process.argv[3], "base64");
const spooled = await spool.take((async function* () { yield bytes; })(), 1_000);
const type = await judge(spooled, undefined, ["image/*"]);
const { width } = await rendered(spooled, type, { width: 3, height: 3, fit: "cover" }, spool);
const credentials = { accessKeyId: "a", secretAccessKey: "b" };
const store = await openBlobs(definition.storage.driver, { folder: process.argv[2], spool, credentials });
const reached = await store.health().catch((error) => error.name);
console.log(JSON.stringify({ type, width, reached, signed: (await store.signed.get("uploads/a", { disposition: "inline", type }, 60)).split("?")[0] }));
`;

test("sharp and the client of S3 are found in the node_modules of the bundle's folder", async () => {
  const { outputFiles } = await build({
    ...serverOptions,
    stdin: { contents: text, resolveDir: packageRoot, loader: "ts" },
    outfile: "server.mjs",
  });
  const [server = ""] = outputFiles.map((file) => file.text);
  const needed = neededPackages(server);
  expect(needed).toEqual(["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner", "sharp"]);
  for (const name of needed) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(installedFolder(name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "server.mjs"), server);
  const gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const told = execFileSync(process.execPath, [join(folder, "server.mjs"), join(folder, "spool"), gif], {
    encoding: "utf8",
  });
  expect(JSON.parse(told)).toEqual({
    type: "image/gif",
    width: 3,
    reached: "StorageUnavailable",
    signed: "http://127.0.0.1:9/b/uploads/a",
  });
});

test("a server without storage needs neither; with files in a folder it needs no client of S3", () => {
  const storage = (driver: string) => `const definition = { storage: { driver: ${driver} } };`;
  const late = 'await import("sharp"); await import("@aws-sdk/client-s3"); if (driver.kind === "s3") open();';
  expect(neededPackages(late)).toEqual([]);
  expect(neededPackages(late + storage('{ kind: "local" }'))).toEqual(["sharp"]);
  expect(neededPackages(late + storage('{\n  kind: "s3",\n  bucket: "b" }'))).toEqual(
    externalPackages.filter((name) => !/argon2|sqlite/.test(name)),
  );
});
