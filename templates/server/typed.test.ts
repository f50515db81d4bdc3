/** Emitted modules are checked against `types.ts`: what is misspelt in them by hand does not compile. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/workspace.ts";
import { problemsOf } from "../testing/typed.ts";

interface Mistake {
  readonly what: string;
  /** Of the collection `tickets` of the example. */
  readonly file: "rules.ts" | "fields.ts" | "routes.ts" | "types.ts";
  readonly from: string;
  /** Undefined: the file is removed. */
  readonly to: string | undefined;
  /** What that needs to be imported. */
  readonly imports?: string;
  /** In which files TypeScript finds it, and what it says first. */
  readonly refused: Readonly<Record<string, RegExp>>;
}

const importsIncludes = 'import { includes } from "realmc/runtime";\n';

const mistakes: readonly Mistake[] = [
  {
    what: "a misspelt member of a document in a rule",
    file: "rules.ts",
    from: 'document.status !== "closed"',
    to: 'document.statsu !== "closed"',
    refused: { "rules.ts": /'statsu' does not exist on type .* Did you mean 'status'\?/ },
  },
  {
    what: "a misspelt member of written data in a rule",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: 'data.statsu === "open"',
    refused: { "rules.ts": /'statsu' does not exist on type .* Did you mean 'status'\?/ },
  },
  {
    what: "a misspelt member that the server owns in a rule",
    file: "rules.ts",
    from: "document._meta?.owner",
    to: "document._meta?.ownr",
    refused: { "rules.ts": /'ownr' does not exist on type .* Did you mean 'owner'\?/ },
  },
  {
    what: "a member that only stored documents have, of written data",
    file: "rules.ts",
    from: "inOrg(memberships, data._meta?.org)",
    to: "inOrg(memberships, data._meta?.owner)",
    refused: { "rules.ts": /'owner' does not exist on type/ },
  },
  {
    what: "a misspelt member in the rule of a field",
    file: "rules.ts",
    from: "document?._meta?.org",
    to: "document?._meta?.orgs",
    refused: { "rules.ts": /'orgs' does not exist on type .* Did you mean 'org'\?/ },
  },
  {
    what: "a comparison of a member with a value of another kind",
    file: "rules.ts",
    from: 'document.status !== "closed"',
    to: "document.status !== 7",
    refused: { "rules.ts": /have no overlap/ },
  },
  {
    what: "a comparison with a value that the enumeration does not have",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: 'data.status === "opne"',
    refused: { "rules.ts": /have no overlap/ },
  },
  {
    what: "one of several comparisons with a value that the enumeration does not have",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: '(same(data.status, "open") || same(data.status, "opne"))',
    refused: { "rules.ts": /'"opne"' is not assignable/ },
  },
  {
    what: "a member compared with one of several values that the enumeration does not have",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: 'includes(["open", "opne"], data.status)',
    imports: importsIncludes,
    refused: { "rules.ts": /is not assignable to parameter of type 'never'/ },
  },
  {
    what: "a value of another kind in several comparisons",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: "(same(data.status, 'open') || same(data.status, 7))",
    refused: { "rules.ts": /'7' is not assignable/ },
  },
  {
    what: "a list of the document asked for a value that none of its elements has",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: "includes(data.tags, 7)",
    imports: importsIncludes,
    refused: { "rules.ts": /'7' is not assignable/ },
  },
  {
    what: "a field of the filter that there is not",
    file: "rules.ts",
    from: 'eq(fields["_meta.owner"], user?.id)',
    to: 'eq(fields["_meta.ownr"], user?.id)',
    refused: { "rules.ts": /'_meta\.ownr' does not exist on type/ },
  },
  {
    what: "another collection's rules in a definition",
    file: "routes.ts",
    from: 'import { fieldRules, rules } from "./rules.ts";',
    to: 'import { rules } from "../replies/rules.ts";\nimport { fieldRules } from "./rules.ts";',
    refused: {
      "routes.ts": /Property '(?:ticket_id|text|internal)' is missing|missing the following properties/,
    },
  },
  {
    what: "one rule of another collection among a collection's own",
    file: "rules.ts",
    from: "  create,\n  read,",
    to: "  create,\n  read: replies.read,",
    imports: 'import { rules as replies } from "../replies/rules.ts";\n',
    refused: { "rules.ts": /is not assignable to type 'ReadRule</, "routes.ts": /is not assignable to type/ },
  },
  {
    what: "a misspelt path in fields",
    file: "fields.ts",
    from: "  assignee_id: [",
    to: "  asignee_id: [",
    refused: { "fields.ts": /'asignee_id' does not exist in type/ },
  },
  {
    what: "a misspelt path inside an object in fields",
    file: "fields.ts",
    from: '"triage.note"',
    to: '"triage.notes"',
    refused: { "fields.ts": /'"triage\.notes"' does not exist in type/ },
  },
  {
    what: "a field of the wrong kind",
    file: "fields.ts",
    from: 'priority: "integer"',
    to: 'priority: "boolean"',
    refused: { "fields.ts": /Type '"boolean"' is not assignable to type .*"integer"/ },
  },
  {
    what: "one wrong kind of several",
    file: "fields.ts",
    from: 'assignee_id: ["string", "null"]',
    to: 'assignee_id: ["integer", "null"]',
    refused: { "fields.ts": /Type '"integer"' is not assignable to type .*"string"/ },
  },
  {
    what: "an object declared as a string",
    file: "fields.ts",
    from: 'triage: "object"',
    to: 'triage: "string"',
    refused: { "fields.ts": /Type '"string"' is not assignable to type .*"object"/ },
  },
  {
    what: "an array declared as one value",
    file: "fields.ts",
    from: 'tags: { array: "string" }',
    to: 'tags: "string"',
    refused: { "fields.ts": /Type 'string' is not assignable to type .*array/ },
  },
  {
    what: "types.ts removed",
    file: "types.ts",
    from: "",
    to: undefined,
    refused: {
      "fields.ts": /Cannot find module '\.\/types\.ts'/,
      "routes.ts": /Cannot find module '\.\/types\.ts'/,
      "rules.ts": /Cannot find module '\.\/types\.ts'/,
    },
  },
  {
    what: "a member that rules and fields use, removed from types.ts",
    file: "types.ts",
    from: '  status: "open" | "pending" | "solved" | "closed";\n',
    to: "",
    refused: {
      "fields.ts": /'status' does not exist in type/,
      "rules.ts": /'status' does not exist on type/,
    },
  },
  {
    what: "a member that only fields use, removed from types.ts",
    file: "types.ts",
    from: "  priority?: number;\n",
    to: "",
    refused: { "fields.ts": /'priority' does not exist in type/ },
  },
  {
    what: "what the server keeps of a document, removed from types.ts",
    file: "types.ts",
    from: "Partial<DeletionMeta>",
    to: "Partial<Omit<DeletionMeta, 'deleted_at'>>",
    refused: { "fields.ts": /Type 'Field' is not assignable to type 'never'/ },
  },
];

const database = "generated/helpdesk/support";
const files = readdirSync(join(root, database, "tickets")).filter((file) => file.endsWith(".ts"));

function emitted(file: string): string {
  return readFileSync(join(root, database, "tickets", file), "utf8");
}

let problems: readonly string[];
beforeAll(() => {
  const modules = new Map<string, string | undefined>();
  for (const file of files) modules.set(`${database}/tickets/${file}`, emitted(file));
  for (const [at, { file: wrong, from, to, imports = "", what }] of mistakes.entries()) {
    for (const file of files) modules.set(`${database}/mistake-${at}/${file}`, emitted(file));
    if (!emitted(wrong).includes(from)) throw new Error(`${what}: ${wrong} has no ${from}`);
    const text = to === undefined ? undefined : imports + emitted(wrong).replace(from, () => to);
    modules.set(`${database}/mistake-${at}/${wrong}`, text);
  }
  problems = problemsOf(modules);
}, 120_000);

function foundIn(folder: string): readonly string[] {
  return problems.filter((problem) => problem.startsWith(`${database}/${folder}/`));
}

describe("TypeScript", () => {
  it("takes what is emitted", () => {
    expect(foundIn("tickets")).toEqual([]);
  });

  it.each(mistakes.map((mistake, at) => [mistake.what, mistake, at] as const))(
    "refuses %s",
    (_, { refused }, at) => {
      const found = foundIn(`mistake-${at}`);
      expect(new Set(found.map((problem) => /([^/]*?):\d/.exec(problem)?.[1]))).toEqual(
        new Set(Object.keys(refused)),
      );
      for (const [file, says] of Object.entries(refused))
        expect(found.filter((problem) => problem.includes(`/${file}:`)).join("\n")).toMatch(says);
    },
  );
});
