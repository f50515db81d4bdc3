// Documents of a realm out of a store and into another one, by the commands that users give, each in a process of its own:
// how many a second, and the memory that the process took at most. What comes out of the second store must be what came out
// of the first, to the byte. `tsx scripts/bench/transfer/run.ts [documents] [folder]`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, objectIn } from "../../../runtime/json.ts";
import { programOf } from "../../program.ts";

const [documents = 1_000_000, within = tmpdir()] = [
  Number(process.argv[2] ?? 1_000_000),
  process.argv[3] ?? tmpdir(),
];
const command = await programOf("scripts/bench/transfer/command.ts");
const work = mkdtempSync(join(within, "transfer-"));
const at = (name: string): string => join(work, name);

try {
  await makeFile(at("items.ndjson"));
  const rows = [
    await measured("import", [
      "import",
      "--store",
      `sqlite:${at("one")}`,
      "--from",
      at("items.ndjson"),
      ...ofItems(),
      "--meta",
    ]),
    await measured("export", ["export", "--store", `sqlite:${at("one")}`, "--to", at("out"), "--meta"]),
    await measured("import of it", [
      "import",
      "--store",
      `sqlite:${at("two")}`,
      "--from",
      at("out"),
      "--meta",
    ]),
    await measured("export of that", [
      "export",
      "--store",
      `sqlite:${at("two")}`,
      "--to",
      at("again"),
      "--meta",
    ]),
    await measured("export, CSV", [
      "export",
      "--store",
      `sqlite:${at("two")}`,
      "--to",
      at("items.csv"),
      ...ofItems(),
    ]),
    await measured("import, CSV", [
      "import",
      "--store",
      `sqlite:${at("three")}`,
      "--from",
      at("items.csv"),
      ...ofItems(),
    ]),
  ];
  console.log(`\n| ${documents} documents | documents/s | MiB at most |\n|---|---:|---:|`);
  for (const { name, rate, memory } of rows)
    console.log(`| ${name} | ${Math.round(rate)} | ${Math.round(memory)} |`);
  const [first, second] = [hashOf("out"), hashOf("again")];
  console.log(
    `\nWhat came out is ${first !== undefined && first === second ? "the same" : "NOT the same"}: ${first}`,
  );
  if (first === undefined || first !== second) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function ofItems(): readonly string[] {
  return ["--collection", "shop/items"];
}

/** About 520 bytes each, with ids as the server makes them. */
async function makeFile(path: string): Promise<void> {
  const file = await open(path, "w");
  const meta = {
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    version: 1,
  };
  for (let from = 0; from < documents; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, documents - from) }, (_, n) => {
      const number = from + n;
      const digits = String(number).padStart(20, "0");
      const item = {
        id: digits,
        sku: `SKU-${number}`,
        name: `Item number ${number}`,
        status: number % 3 === 0 ? "draft" : "active",
        price: number / 100,
        stock: number % 1_000,
        tags: ["blue", "large", `t${number % 50}`],
        supplier: { name: `Supplier ${number % 97}`, country: "DE" },
        description: `Made of ${"something very good ".repeat(10)}`,
        _meta: meta,
      };
      return `${JSON.stringify(item)}\n`;
    });
    await file.appendFile(lines.join(""));
  }
  await file.close();
}

interface Row {
  readonly name: string;
  readonly rate: number;
  readonly memory: number;
}

async function measured(name: string, words: readonly string[]): Promise<Row> {
  console.error(name);
  const begun = performance.now();
  const child = spawn(process.execPath, [command, ...words], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let memory = 0;
  child.on("message", (message) => {
    if (isJsonObject(message) && typeof message["memory"] === "number") memory = message["memory"] / 1024;
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return { name, rate: documents / ((performance.now() - begun) / 1000), memory };
}

function hashOf(folder: string): string | undefined {
  const catalog = objectIn(readFileSync(join(at(folder), "export.json"), "utf8"));
  const files = Array.isArray(catalog?.["files"]) ? catalog["files"] : [];
  const [file] = files;
  return isJsonObject(file) && typeof file["sha256"] === "string" ? file["sha256"] : undefined;
}
