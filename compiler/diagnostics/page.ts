/** The page of a diagnostic: as Markdown for `docs/diagnostics.md` and tools, as text for `realmc explain`. */
import picocolors from "picocolors";
import type { CatalogueEntry, Example, ExampleFiles } from "./entry.ts";
import { paints } from "./paints.ts";

/** What stands below the code, its heading. */
export function markdownPage(entry: CatalogueEntry): string {
  return [
    `${severityOf(entry)}. ${entry.summary}`,
    entry.explanation,
    `Wrong:\n\n${markdownExample(entry.wrong)}`,
    `Right:\n\n${markdownExample(entry.right)}`,
  ].join("\n\n");
}

export interface TextPageOptions {
  /** Columns that lines of prose may have. */
  readonly width: number;
  readonly colored: boolean;
}

export function textPage(code: string, entry: CatalogueEntry, { width, colored }: TextPageOptions): string {
  const colors = picocolors.createColors(colored);
  const paint = colors[paints[entry.severity]];
  const prose = (text: string): string => wrapped(text, width);
  return `${[
    `${colors.bold(code)} ${paint(entry.severity)}`,
    prose(entry.summary),
    prose(entry.explanation),
    `${colors.red("Wrong:")}\n\n${textExample(entry.wrong)}`,
    `${colors.green("Right:")}\n\n${textExample(entry.right)}`,
  ].join("\n\n")}\n`;
}

function severityOf({ severity }: CatalogueEntry): string {
  return `${severity.slice(0, 1).toUpperCase()}${severity.slice(1)}`;
}

interface Block {
  /** The name of a file. */
  readonly title?: string;
  readonly language: "yaml" | "json" | "ts" | "text" | "sh";
  readonly text: string;
}

function blocksOf(example: Example): readonly Block[] {
  if ("tree" in example) return [{ language: "text", text: example.tree }];
  if ("command" in example) return [{ language: "sh", text: example.command }];
  if ("words" in example) return [{ language: "text", text: example.words }];
  if ("before" in example) return [...fileBlocks(example.before, ", as it was"), ...fileBlocks(example.now)];
  return fileBlocks(example);
}

function fileBlocks(files: ExampleFiles, when = ""): readonly Block[] {
  return Object.entries(files).map(([name, text]) => ({
    title: `${name}${when}`,
    language: name.endsWith(".json") ? "json" : name.endsWith(".ts") ? "ts" : "yaml",
    text,
  }));
}

function markdownExample(example: Example): string {
  return blocksOf(example)
    .map(({ title, language, text }) => {
      const block = `\`\`\`${language}\n${text}\n\`\`\``;
      return title === undefined ? block : `\`${title}\`\n\n${block}`;
    })
    .join("\n\n");
}

function textExample(example: Example): string {
  return blocksOf(example)
    .map(({ title, text }) => {
      const block = text.replace(/^(?=.)/gm, "    ");
      return title === undefined ? block : `  ${title}\n\n${block}`;
    })
    .join("\n\n");
}

export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}
