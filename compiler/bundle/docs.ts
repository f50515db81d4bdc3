import { readFile } from "node:fs/promises";
import { docsFolder, docsSources } from "../../runtime/http/docs/files.ts";
import type { EmittedFile } from "../../templates/print/code.ts";

/** What the page on the descriptions consists of; a server has it beside its module. */
export function docsFiles(): Promise<readonly EmittedFile[]> {
  return Promise.all(
    [...docsSources()].map(async ([name, path]) => ({
      path: `${docsFolder}/${name}`,
      text: await readFile(path, "utf8"),
    })),
  );
}
