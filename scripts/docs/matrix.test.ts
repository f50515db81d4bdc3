/** What pages show of `realmc matrix` and of `realmc diff --no-new-access` is what they print. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import { accounts, type Sketch, writeRealm } from "../../compiler/diff/testing/case.ts";
import { root } from "../workspace.ts";

/** What stands below a command line, to the end of the block or the next command. */
function blocks(page: string): readonly { readonly command: string; readonly shown: string }[] {
  const text = readFileSync(join(root, page), "utf8");
  const found = [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    [...block.matchAll(/^\$ npx (realmc .*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, command = "", shown = ""]) => ({
      command,
      shown,
    })),
  );
  return found.filter(({ command }) => / matrix | --no-new-access /.test(command));
}

/** The parts of what is shown, between the lines that stand for what is left out. */
function expectShown(shown: string, printed: string): void {
  const parts = shown.split(/^…\n/m).filter((part) => part !== "");
  expect(parts.length).toBeGreaterThan(0);
  let from = 0;
  for (const part of parts) {
    const at = printed.indexOf(part, from);
    expect(at, part).toBeGreaterThanOrEqual(0);
    from = at + part.length;
  }
}

test.each(["README.md", "docs/matrix.md"])(
  "%s shows the matrices of the examples as they are",
  async (page) => {
    const realmc = commandsIn(root);
    const ofExamples = blocks(page).filter(({ command }) => command.startsWith("realmc matrix examples"));
    for (const { command, shown } of ofExamples) {
      const { status, stdout } = await realmc(...command.split(" ").slice(1));
      expect(status).toBe(0);
      expectShown(shown, stdout);
    }
    expect(ofExamples).toHaveLength(1);
  },
);

const tickets = (read: string): Sketch => ({
  realm: accounts,
  files: {
    "support/tickets/schema.json": JSON.stringify({
      type: "object",
      properties: { status: { enum: ["open", "done"] } },
    }),
    "support/tickets/collection.yaml": `rules: { read: ${JSON.stringify(read)} }\n`,
    "db/notes/schema.json": null,
  },
});

test("docs/matrix.md shows what --check and --no-new-access say of a change", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-matrix-docs-"));
  try {
    const [old, now] = [
      "hasRole('lead')",
      "hasRole('lead') || hasRole('agent') && document.status == 'open'",
    ];
    writeRealm(join(folder, "main/config/desk"), tickets(old));
    writeRealm(join(folder, "config/desk"), tickets(now));
    const realmc = commandsIn(folder);
    const { stdout: before } = await realmc("matrix", "main/config", "--format", "json");
    writeFileSync(join(folder, "matrix.json"), before);
    const shown = blocks("docs/matrix.md").filter(({ command }) => / config(?: |$)/.test(command));
    expect(shown.map(({ command }) => command)).toEqual([
      "realmc matrix config --check matrix.json",
      "realmc diff --no-new-access main/config config",
    ]);
    for (const { command, shown: said } of shown) {
      const { status, stdout, stderr } = await realmc(...command.split(" ").slice(1));
      expect(status).toBe(1);
      expect(said).toBe(command.includes("matrix.json") ? stdout + stderr : stdout);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
