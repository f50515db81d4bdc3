/** Stacks of what handlers throw, with the lines that somebody wrote. */
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";

/** Has errors of this thread name the places that the map beside the script has, from then on. */
export function mapStacks(path: string): void {
  let map: SourceMap | undefined | "none";
  const original = (line: number, column: number): string | undefined => {
    map ??= mapOf(path) ?? "none";
    if (map === "none") return undefined;
    const found = map.findEntry(line - 1, column - 1);
    return "originalSource" in found
      ? `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`
      : undefined;
  };
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => {
      const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
      const text = String(frame);
      if (frame.getFileName() !== path || line === null || column === null) return `    at ${text}`;
      const place = original(line, column);
      return `    at ${place === undefined ? text : text.replace(`${path}:${line}:${column}`, () => place)}`;
    });
    return [head(error), ...lines].join("\n");
  };
}

function mapOf(path: string): SourceMap | undefined {
  try {
    const payload: SourceMapPayload = JSON.parse(readFileSync(`${path}.map`, "utf8"));
    return new SourceMap(payload);
  } catch {
    return undefined;
  }
}

function head(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}
