/**
 * How long `realmc dev` takes from a change of one rule to serving again: `npx tsx scripts/dev/measure.ts [collections]`.
 * Without a number of collections, of the helpdesk among the examples.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { middle } from "../bench/middle.ts";
import { root } from "../workspace.ts";
import { DevRun, write } from "./run.ts";

const rounds = 15;

const [collections] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "realmc-measure-"));
const { path, rules } = collections === undefined ? examples() : generated(collections);
const dev = new DevRun(folder);
try {
  await dev.url();
  const said: number[] = [];
  const seen: number[] = [];
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // A node that does nothing, for comparison; meanwhile the next server process gets ready.
    starts.push(elapsedOf(() => spawnSync(process.execPath, ["-e", "0"])));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const begun = performance.now();
    const text = readFileSync(join(folder, path), "utf8");
    const [from, to] = round % 2 === 0 ? rules : [rules[1], rules[0]];
    writeFileSync(join(folder, path), text.replace(from, to));
    const [, amount, unit] = await dev.until(/restarted in ([\d.]+) (ms|s)\n/);
    seen.push(performance.now() - begun);
    said.push(Number(amount) * (unit === "s" ? 1_000 : 1));
  }
  const [serving, printed, node] = [said, seen, starts].map((each) => middle(each));
  console.log(
    `from the change to serving: median of ${rounds} ${Math.round(serving ?? 0)} ms, until it is read that so`,
  );
  console.log(`it is ${Math.round(printed ?? 0)} ms; node -e 0 takes ${Math.round(node ?? 0)} ms`);
  console.log(`ratio to node -e 0: ${((printed ?? 0) / (node ?? 1)).toFixed(1)}`);
} finally {
  await dev.stop();
  rmSync(folder, { recursive: true, force: true });
}

interface Subject {
  /** The file that changes. */
  readonly path: string;
  /** What stands in it before and after. */
  readonly rules: readonly [string, string];
}

function examples(): Subject {
  for (const realm of ["blog", "helpdesk", "inventory"]) {
    cpSync(join(root, "examples", realm), join(folder, "config", realm), { recursive: true });
  }
  return {
    path: "config/helpdesk/support/tickets/collection.yaml",
    rules: ["restore: hasRole('lead')", "restore: hasRole('agent', 'lead')"],
  };
}

function generated(count: number): Subject {
  const names = ["title", "body", "status", "city", "phone", "note"];
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string", maxLength: 200 }]));
  const own = "document._meta.owner == user.id";
  const rules = `read: ${own}\n  update: ${own} && data.status != 'done'\n  create: user.email_verified\n  delete: ${own}`;
  write(folder, "config/large/realm.yaml", "auth: enabled\nroles: { clerk: {} }\n");
  for (let number = 0; number < count; number++) {
    const place = `config/large/main/things${number}`;
    write(folder, `${place}/schema.json`, JSON.stringify({ type: "object", properties }));
    write(folder, `${place}/indexes.json`, '{ "indexes": [{ "fields": ["_meta.owner"] }] }');
    write(folder, `${place}/collection.yaml`, `rules:\n  ${rules}\n`);
  }
  return {
    path: "config/large/main/things0/collection.yaml",
    rules: ["create: user.email_verified", "create: hasRole('clerk')"],
  };
}

function elapsedOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
