/** The files and folders that a source names in its text, to read them, or to run them in another process. */
import { dirname, join } from "node:path";

/** A path from the root of the checkout, as programs of other processes are named. Tests are named in lists alone. */
const fromRoot = /"([\w@.-]+(?:\/[\w@.-]+)+)"/g;

/** `new URL("…", import.meta.url)`; what is not a literal is the folder of the source itself. */
const beside = /new URL\(\s*(?:"([^"]*)"|`([^`]*)`|[\w.]+)\s*,\s*import\.meta\.url\s*\)/g;

/** `join(root, "…", "…")` and `join(packageRoot, …)`, as far as it is literals. */
const joined = /\bjoin\(\s*(?:root|packageRoot)((?:\s*,\s*"[^"]*")+)/g;

/** `${root}…`, up to the next thing that is put in. */
const interpolated = /`\$\{(?:root|packageRoot)\}([^`]*)`/g;

/** The part of a template that comes before what is put in, up to the last whole folder. */
function settled(template: string): string {
  const end = template.indexOf("${");
  return end === -1 ? template : template.slice(0, template.lastIndexOf("/", end) + 1);
}

/**
 * Paths from the root of the checkout, without a slash at the end.
 * @param path the source itself
 * @param isFile of all that is in the checkout
 * @param isFolder likewise; the root itself is none
 */
export function namedPaths(
  path: string,
  text: string,
  isFile: (path: string) => boolean,
  isFolder: (path: string) => boolean,
): readonly string[] {
  const anywhere = [
    ...[...text.matchAll(beside)].map(([, literal, template]) =>
      join(dirname(path), literal ?? settled(template ?? ""), "."),
    ),
    ...[...text.matchAll(joined)].map(([, words = ""]) =>
      join(...[...words.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word), "."),
    ),
    ...[...text.matchAll(interpolated)].map(([, template = ""]) => join(settled(template), ".")),
  ].map((found) => found.replace(/\/$/, ""));
  const files = [...text.matchAll(fromRoot)]
    .map(([, found = ""]) => found)
    .filter((found) => isFile(found) && !found.endsWith(".test.ts"));
  return [...new Set([...anywhere.filter((found) => isFile(found) || isFolder(found)), ...files])];
}
