/** docs/internals is true: its drawing is made from the imports, what it quotes stands in the code, what it names is there. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { layers } from "../testing/layers.ts";
import { root } from "../workspace.ts";
import { drawing } from "./drawing.ts";

const folder = join(root, "docs/internals");
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));

/** What stands between fences: their language, the path that follows it, the text. */
function fences(page: string): readonly { readonly path: string | undefined; readonly text: string }[] {
  const found = page.matchAll(/^```\w*(?: (\S+))?\n([\s\S]*?)^```$/gm);
  return Array.from(found, ([, path, text = ""]) => ({ path, text }));
}

/** Without what indents all lines, and the ends of lines. */
function shifted(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const indents = lines.filter((line) => line !== "").map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents);
  return lines
    .map((line) => line.slice(indent))
    .join("\n")
    .trim();
}

/** Whether a passage stands in a text, however deep it is indented there. `…` in a line of its own stands for any lines. */
function quotes(text: string, passage: string): boolean {
  const lines = text.split("\n");
  let from = 0;
  return passage.split(/^\s*(?:\/\/ )?…$/m).every((part) => {
    const wanted = shifted(part);
    const { length } = wanted.split("\n");
    for (let at = from; at + length <= lines.length; at += 1) {
      if (shifted(lines.slice(at, at + length).join("\n")) !== wanted) continue;
      from = at + length;
      return true;
    }
    return false;
  });
}

it("the drawing is that of the imports", () => {
  const path = join(folder, "layers.md");
  const text = readFileSync(path, "utf8");
  const now = text
    .replace(/^```mermaid\n[\s\S]*?^```$/m, `\`\`\`mermaid\n${drawing()}\n\`\`\``)
    .replace(/^```text\n[\s\S]*?^```$/m, `\`\`\`text\n${layers.join("\n")}\n\`\`\``);
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(path, now);
  expect(readFileSync(path, "utf8")).toBe(now);
});

describe.each(pages)("%s", (name) => {
  const page = readFileSync(join(folder, name), "utf8");

  it("quotes what stands in the code", () => {
    const wrong = fences(page).filter(
      ({ path, text }) => path !== undefined && !quotes(readFileSync(join(root, path), "utf8"), text),
    );
    expect(wrong.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
  });

  it("names files and folders that are there", () => {
    const prose = page.replace(/^```[\s\S]*?^```$/gm, "");
    const named = prose.matchAll(
      /`((?:compiler|runtime|templates|scripts|generated|examples|docs)\/[\w./-]+)`/g,
    );
    const missing = Array.from(named, ([, path = ""]) => path).filter(
      (path) => !existsSync(join(root, path)),
    );
    expect(missing).toEqual([]);
  });
});
