/** The README's first run, as it is written. */
import { literally } from "../../examples/conversation.ts";

/** A command, as typed after `$ `, and what is shown below it. */
export interface Shown {
  readonly command: string;
  readonly output: string;
}

/** The commands in the `console` blocks of a section of Markdown, in their order. */
export function commandsOf(markdown: string, section: string): readonly Shown[] {
  const [, after = ""] = markdown.split(`\n## ${section}\n`);
  const [text = ""] = after.split("\n## ");
  const blocks = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap(commandsIn);
}

/** The lines of the `sh` block before the first section, without what is said of them. */
export function commandsOnTop(markdown: string): readonly string[] {
  const [top = ""] = markdown.split("\n## ");
  const [, block = ""] = /^```sh\n(.*?)^```$/ms.exec(top) ?? [];
  return block
    .trim()
    .split("\n")
    .map((line) => line.replace(/\s+#.*/, ""));
}

function commandsIn(block: string): readonly Shown[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [, command = "", output = ""] = /^((?:[^\n]*\\\n)*[^\n]*)(.*)$/s.exec(text) ?? [];
      return { command, output: output.trim() };
    });
}

/** What differs from run to run, and how it looks. */
const varying = {
  token: /svs_[\w-]{43}/,
  time: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
  request: /(?<="request_id":")[\w-]{12}\.\d+/,
  id: /01[0-9a-z]{18}/,
  packages: /(?<=added )\d+ packages in \w+/,
  duration: /\d+(?:\.\d+)? m?s\b/,
  port: /(?<=127\.0\.0\.1:)\d+/,
};

/** Whether what was printed is what is shown, but for what varies; `…` on a line or in one stands for whatever was left out. */
export function isAsShown(printed: string, shown: string): boolean {
  const parts = invariant(shown).split("…").map(literally);
  return new RegExp(`^${parts.join("[^]*")}$`).test(invariant(printed.trim()));
}

export function invariant(text: string): string {
  return Object.entries(varying).reduce(
    (left, [name, pattern]) => left.replace(new RegExp(pattern, "g"), `<${name}>`),
    text,
  );
}
