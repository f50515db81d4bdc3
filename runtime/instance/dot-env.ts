import { readFileSync } from "node:fs";

/**
 * The values of a `.env` file: `NAME=value` a line, in quotes where it holds spaces at its ends, a `#` or (`\n` in double
 * quotes) line ends; `export` before the name and lines that begin with `#` are passed over.
 * @returns nothing where there is no such file
 */
export function dotEnv(path: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return {};
  }
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, plainValue(value)] as const];
    }),
  );
}

function plainValue(text: string): string {
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  if (double !== undefined)
    return double.replace(/\\([nrt"\\])/g, (_, escaped: string) => escapes[escaped] ?? "");
  const single = /^'([^']*)'/.exec(text)?.[1];
  return single ?? text.replace(/\s+#.*$/, "");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };
