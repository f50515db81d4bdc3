/** What docs/functions.md shows of testing handlers compiles, and does what it says. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import { root } from "../workspace.ts";

/** Where emitted code finds the runtime. */
const folder = mkdtempSync(fileURLToPath(new URL(".functions-", import.meta.url)));
const page = readFileSync(join(root, "docs/functions.md"), "utf8");

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );
}

const [functionYaml = ""] = blocks("yaml");
const [handler = "", test1 = "", test2 = ""] = blocks("ts");
const names = ["inbound", "assigned", "tidy"];
const imports = names.map(
  (name) => `import ${name} from "../config/helpdesk/support/_func/${name}/handler.ts";\n`,
);
const closing = "await realm.close();\n";
/** The second goes on where the first ends. */
const whole = `${imports.join("")}${test1.replace(closing, "")}${test2}${closing}export {};\n`;

/** What the second is about. */
const others: Readonly<Record<string, readonly [yaml: string, body: string]>> = {
  inbound: [
    "mode: webhook\ninvoke: true\nsecrets: [INBOUND_SECRET]\n",
    `async (request, ctx) => {
  if (request.headers["x-signature"] !== ctx.secrets.INBOUND_SECRET) throw ctx.error(401, "bad_signature", "No.");
}`,
  ],
  assigned: [
    "mode: event\nmail: true\ntriggers: [{ collection: tickets, on: [create, update] }]\n",
    `async ({ document }, ctx) => {
  const { assignee_id: user } = document;
  if (typeof user === "string") await ctx.mail.send({ to: { user }, subject: document.subject, text: "Yours." });
}`,
  ],
  tidy: ["mode: event\nschedule: '0 3 * * *'\n", "async () => {}"],
};

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

beforeAll(async () => {
  for (const part of ["realm.yaml", "_shared", "support/customers", "support/replies", "support/tickets"])
    cpSync(join(root, "examples/helpdesk", part), join(folder, "config/helpdesk", part), { recursive: true });
  write("config/helpdesk/support/_func/close/function.yaml", functionYaml);
  write("config/helpdesk/support/_func/close/handler.ts", handler);
  for (const [name, [yaml, body]] of Object.entries(others)) {
    write(`config/helpdesk/support/_func/${name}/function.yaml`, yaml);
    const text = `import type { Handler } from "./$types.ts";\n\nconst handler: Handler = ${body};\n\nexport default handler;\n`;
    write(`config/helpdesk/support/_func/${name}/handler.ts`, text);
  }
  const { status, stderr, stdout } = await commandsIn(folder)("build", "config");
  expect(status, stderr + stdout).toBe(0);
  write("tests/close.test.ts", whole);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says, with the settings of a new project. */
function compiled(...files: readonly string[]): string {
  const entries = {
    client: "client/index",
    functions: "functions/handler",
    runtime: "index",
    testing: "trials/index",
  };
  const paths = Object.entries(entries).map(([name, to]) => [
    `realmc/${name}`,
    [join(root, `runtime/${to}.ts`)],
  ]);
  const settings = {
    extends: join(root, "compiler/init/template/tsconfig.json"),
    compilerOptions: {
      ...{
        rootDirs: ["config", "generated"],
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
      },
      paths: Object.fromEntries(paths),
      // Sources stand for what is published, and theirs are packages as Node has them.
      customConditions: ["node"],
    },
    include: [],
    files,
  };
  write("tsconfig.json", JSON.stringify(settings));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "-p", folder], { cwd: folder, encoding: "utf8" }).stdout;
}

test("it compiles as a new project's settings have it, and not with a mistake", () => {
  const mistaken = whole.replace("{ ticket: ticket.id, reason: ", "{ tickets: ticket.id, reason: ");
  write("tests/wrong.test.ts", mistaken);
  const [first, ...others] = compiled("tests/close.test.ts", "tests/wrong.test.ts").trim().split("\n");
  expect(first).toMatch(/^tests.wrong\.test\.ts\(\d+,\d+\): error TS\d+: .*'tickets' does not exist/);
  expect(others).toEqual([]);
});

test("it passes", async () => {
  await import(pathToFileURL(join(folder, "tests/close.test.ts")).href);
});
