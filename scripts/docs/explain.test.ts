/** Outputs in docs/explain.md are those of the commands above them; `UPDATE_DOCS=1` writes them anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import { root } from "../workspace.ts";

const page = join(root, "docs/explain.md");
const block = /```sh\n(.+?)\n```\n\n<!-- explain -->\n```text\n(.*?)```/gs;

/** A command of a shell as its words: single quotes, and lines that go on. */
function wordsOf(command: string): readonly string[] {
  const text = command.replaceAll("\\\n", " ");
  return [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

test("docs/explain.md shows what the commands print", async () => {
  const text = readFileSync(page, "utf8");
  const realmc = commandsIn(root);
  let written = text;
  let shown = 0;
  for (const [whole, command = "", output] of text.matchAll(block)) {
    const [, ...words] = wordsOf(command);
    const { status, stdout } = await realmc(...words, "--config", "examples");
    expect(status).toBe(0);
    shown++;
    if (process.env["UPDATE_DOCS"] === undefined) expect(output).toBe(stdout);
    written = written.replace(whole, () =>
      whole.replace(`\`\`\`text\n${output}\`\`\``, () => `\`\`\`text\n${stdout}\`\`\``),
    );
  }
  expect(shown).toBe(2);
  if (written !== text) writeFileSync(page, written);
});
