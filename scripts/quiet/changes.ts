/** Typical changes of a configuration, by the example `helpdesk`, and the lines that they change in what is emitted. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../workspace.ts";

export interface Typical {
  readonly change: string;
  /** In the realm's folder: new text of files, from what they say now; "" where there is none. */
  readonly edits: Readonly<Record<string, (text: string) => string>>;
  /** Lines that it may change at most, and of these those of the server's code and the manifest. */
  readonly atMost: { readonly all: number; readonly server: number };
}

const tickets = "support/tickets";

export const typical: readonly Typical[] = [
  {
    change: "a comment",
    edits: { [`${tickets}/collection.yaml`]: (text) => `# Why it is so.\n# And since when.\n${text}` },
    atMost: { all: 0, server: 0 },
  },
  {
    change: "another order of keys",
    edits: {
      [`${tickets}/collection.yaml`]: (text) => `realtime: true\n${text.replace("realtime: true\n", "")}`,
      "realm.yaml": (text) => `signup: open\n${text.replace("signup: open\n", "")}`,
    },
    atMost: { all: 0, server: 0 },
  },
  {
    change: "a new string field",
    edits: {
      [`${tickets}/schema.json`]: put(
        '"body": {',
        '"channel": { "type": "string", "maxLength": 40 },\n    "body": {',
      ),
    },
    atMost: { all: 80, server: 39 },
  },
  {
    change: "a field renamed",
    edits: {
      "support/replies/schema.json": (text) => text.replaceAll('"text"', '"message"'),
      "support/_func/close/handler.ts": put("text: reason", "message: reason"),
      "support/_func/inbound/handler.ts": put("text, mail_id:", "message: text, mail_id:"),
    },
    atMost: { all: 85, server: 46 },
  },
  {
    change: "retention 30d to 31d",
    edits: { [`${tickets}/collection.yaml`]: put("retention: 30d", "retention: 31d") },
    atMost: { all: 16, server: 12 },
  },
  {
    change: "a new role",
    edits: { "realm.yaml": put("  agent: {}\n", "  agent: {}\n  trainee: {}\n") },
    atMost: { all: 47, server: 17 },
  },
  {
    change: "a changed rule",
    edits: { [`${tickets}/collection.yaml`]: put("restore: hasRole('lead')", "restore: hasRole('agent')") },
    atMost: { all: 14, server: 12 },
  },
  {
    change: "a new index",
    edits: {
      [`${tickets}/indexes.json`]: put(
        '{ "fields": ["customer_id"] }',
        '{ "fields": ["customer_id"] },\n    { "fields": ["priority"] }',
      ),
    },
    atMost: { all: 25, server: 16 },
  },
  {
    change: "a new collection",
    edits: {
      "support/notes/schema.json": () =>
        '{ "type": "object", "properties": { "title": { "type": "string" } }, "additionalProperties": false }\n',
      "support/notes/collection.yaml": () => "rules: { read: hasRole('agent'), write: hasRole('agent') }\n",
    },
    atMost: { all: 1210, server: 195 },
  },
  {
    change: "soft_delete on",
    edits: { "support/customers/collection.yaml": (text) => `${text}soft_delete: true\n` },
    atMost: { all: 290, server: 44 },
  },
  {
    change: "a changed description",
    edits: {
      [`${tickets}/schema.json`]: put("A request for help.", "A request for help, by mail or on the page."),
    },
    atMost: { all: 30, server: 16 },
  },
];

function put(old: string, now: string): (text: string) => string {
  return (text) => text.replace(old, now);
}

/** Writes the example as it is, and with a change made if one is given, to a folder. */
export function writeConfiguration(folder: string, change?: Typical): void {
  cpSync(join(root, "examples/helpdesk"), join(folder, "helpdesk"), { recursive: true });
  for (const [path, edit] of Object.entries(change?.edits ?? {})) {
    const target = join(folder, "helpdesk", path);
    const before = textOf(target);
    const after = edit(before);
    if (after === before) throw new Error(`${change?.change} changes nothing in ${path}`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, after);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Lines that are in one of two folders alone, by the name of their file. */
export function changedLines(before: string, after: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of differences(before, after).split("\n")) {
    const [, added = "", removed = "", path = ""] = /^(\d+)\t(\d+)\t(.*)$/.exec(line) ?? [];
    // A path of both is written `{before => after}/…`.
    const name = path.replace(/[{}]/g, "").split("/").at(-1);
    if (name) counts[name] = (counts[name] ?? 0) + Number(added) + Number(removed);
  }
  return counts;
}

function differences(before: string, after: string): string {
  const words = ["diff", "--no-index", "--no-renames", "--minimal", "--numstat", before, after];
  try {
    return execFileSync("git", words, { encoding: "utf8" });
  } catch (error) {
    // It exits with 1 where something differs.
    if (error instanceof Error && "stdout" in error && "status" in error && error.status === 1)
      return String(error.stdout);
    throw error;
  }
}

/** All of them, and those that are neither of an OpenAPI document, a client or an editor nor records of the configuration. */
export function sums(counts: Readonly<Record<string, number>>): Typical["atMost"] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const others = [
    "openapi.json",
    "client.ts",
    "configuration.json",
    "effective.json",
    "rule-test.schema.json",
  ];
  return { all, server: others.reduce((rest, name) => rest - (counts[name] ?? 0), all) };
}
