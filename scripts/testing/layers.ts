/** Which room imports which: the table that CONTRIBUTING prints, and what goes against it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { importsIn } from "../check/imports.ts";
import { root } from "../workspace.ts";

/**
 * Rooms from the top to the floor; each may import those on later lines. A room is a folder with all that is inside, but
 * for what is a room of its own. Rooms of one line do not know each other; what `+` joins is one room.
 */
export const layers = [
  "compiler/cli",
  "compiler/dev, compiler/init, compiler/plan",
  "compiler/rule-tests/run",
  "compiler/bundle",
  "compiler/diff, compiler/explain",
  "compiler/pipeline.ts + compiler/emit.ts + compiler/handlers.ts",
  "compiler/output, compiler/check, compiler/rule-tests",
  "compiler/matrix",
  "compiler/proofs",
  "templates/openapi, templates/functions",
  "templates/client",
  "templates/server",
  "compiler/settings",
  "compiler/migrations",
  "compiler/functions",
  "compiler/plans",
  "compiler/rules",
  "compiler/model",
  "compiler/schema",
  "compiler/source",
  "compiler/diagnostics, templates/print",
  "compiler",
  "runtime/index.ts, runtime/trials",
  "runtime/instance",
  "runtime/functions",
  "runtime/files",
  "runtime/realtime, runtime/client",
  "runtime/migrations",
  "runtime/documents",
  "runtime/organizations",
  "runtime/jobs",
  "runtime/auth",
  "runtime/http",
  "runtime/contract",
  "runtime/rules, runtime/validation, runtime/blobs",
  "runtime/realm",
  "runtime/feed",
  "runtime/store/engines.ts",
  "runtime/store/mongodb, runtime/store/sqlite",
  "runtime/store",
  "runtime/filter",
  "runtime",
] as const;

interface Place {
  readonly folder: string;
  readonly room: string;
  readonly layer: number;
}

const places: readonly Place[] = layers
  .flatMap((line, layer) =>
    line.split(", ").flatMap((room) => room.split(" + ").map((folder) => ({ folder, room, layer }))),
  )
  // What is inside of another room comes before it.
  .sort((a, b) => b.folder.length - a.folder.length);

const folders = ["compiler", "runtime", "templates"];

/** Whether a file is there for tests alone. */
export function isForTests(path: string): boolean {
  return path.endsWith(".test.ts") || path.includes("/testing/");
}

/** The sources of the product and of its tests, by their paths from the package's root. */
export function sources(): readonly string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
        join(folder, path),
      ),
    )
    .filter((path) => path.endsWith(".ts") && !/\/testdata\/|^compiler\/init\/template\//.test(path));
}

/** Which of the sources a file imports, types too. */
export function importsOf(path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8");
  return importsIn(text)
    .filter(({ specifier }) => /^\..*\.ts$/.test(specifier))
    .map(({ specifier }) => join(dirname(path), specifier));
}

const templates = /^templates\/(?:server|openapi|client|functions)\//;
/** The one room that uses templates, and the stages of the compiler that they know. */
const emitting = "compiler/pipeline.ts + compiler/emit.ts + compiler/handlers.ts";
const known = /^(?:templates|runtime|compiler\/(?:model|rules|schema|settings|package))\//;

/** What of it the rooms' order would allow, and templates do not: `from -> to`. */
export function pastTheTemplates(path: string, imports: readonly string[]): readonly string[] {
  return imports
    .filter((to) =>
      templates.test(path) ? !known.test(to) : templates.test(to) && placeOf(path).room !== emitting,
    )
    .map((to) => `${path} -> ${to}`);
}

/** What of it points upwards or sideways: `from -> to`. */
export function againstTheGrain(path: string, imports: readonly string[]): readonly string[] {
  const from = placeOf(path);
  return imports
    .filter((to) => {
      const place = placeOf(to);
      return place.room !== from.room && place.layer <= from.layer;
    })
    .map((to) => `${path} -> ${to}`);
}

/** From the top of the table to its floor. */
export const rooms: readonly string[] = layers.flatMap((line) => line.split(", "));

export function roomOf(path: string): string {
  return placeOf(path).room;
}

function placeOf(path: string): Place {
  const place = places.find(({ folder }) => path === folder || path.startsWith(`${folder}/`));
  if (place === undefined) throw new Error(`${path} is in no room: scripts/testing/layers.ts`);
  return place;
}
