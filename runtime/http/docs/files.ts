import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a bundle keeps them, relative to its server. */
export const docsFolder = "docs";

/** What browsers load into the page, with their media types; and what their licence wants to go with them. */
const own = ["docs.css", "docs.js"] as const;
const ofSwaggerUi = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;
const licences = ["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"] as const;

export type AssetName = (typeof own)[number] | (typeof ofSwaggerUi)[number];

export const assetNames: readonly AssetName[] = [...ofSwaggerUi, ...own];

/** The files of a bundle's folder of them, by their names there: where they come from. */
export function docsSources(): ReadonlyMap<string, string> {
  const page = above("runtime/http/docs/page");
  // The published package brings all of them, so that nobody installs the rest of Swagger UI's.
  const published = page === undefined ? above("lib/docs") : undefined;
  const swaggerUi =
    published ?? dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const ours = page ?? published;
  if (ours === undefined) throw new Error("the page's own files are not installed");
  return new Map([
    ...own.map((name) => [name, join(ours, name)] as const),
    ...[...ofSwaggerUi, ...licences].map((name) => [name, join(swaggerUi, name)] as const),
  ]);
}

/**
 * Where an asset is read: beside a bundle's server, or where it comes from.
 * @throws where it is missing
 */
export function assetPath(name: AssetName): string {
  const bundled = join(here, docsFolder, name);
  if (existsSync(bundled)) return bundled;
  let source: string | undefined;
  try {
    source = docsSources().get(name);
  } catch (cause) {
    throw new Error(`${bundled} is missing`, { cause });
  }
  if (source === undefined) throw new Error(`${bundled} is missing`);
  return source;
}

/** Of the module that this one has become a part of. */
const here = dirname(fileURLToPath(import.meta.url));

/** A folder of this package, whatever place of it this module has been compiled to. */
function above(path: string): string | undefined {
  for (let folder = here; ; folder = dirname(folder)) {
    const found = join(folder, path);
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) return undefined;
  }
}
