/** Emitted migrations as running code, for tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { MigrationDefinition } from "../../../runtime/realm/migrations.ts";
import { hasErrors } from "../../diagnostics/sort.ts";
import { analyse, emitRealm } from "../../pipeline.ts";

export interface EmittedMigrations {
  readonly text: string;
  readonly migrations: readonly MigrationDefinition[];
}

/** The migrations of the collection `support/tickets` of a realm `desk` whose files are written to a folder. */
export async function emittedMigrations(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<EmittedMigrations> {
  const config = join(folder, "config");
  write(config, files);
  const { realms, diagnostics } = await analyse(config);
  const [realm] = realms;
  if (realm === undefined || hasErrors(diagnostics)) throw new Error(JSON.stringify(diagnostics));
  const { files: emitted } = await emitRealm(realm);
  const place = "desk/support/tickets/migrations.ts";
  const text = emitted.find(({ path }) => path === place)?.text ?? "";
  write(join(folder, "generated"), Object.fromEntries(emitted.map((each) => [each.path, each.text])));
  return { text, migrations: await run(join(folder, "generated", place)) };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

async function run(path: string): Promise<readonly MigrationDefinition[]> {
  const { outputFiles } = await build({
    entryPoints: [path],
    alias: { "realmc/runtime": fileURLToPath(new URL("runtime.ts", import.meta.url)) },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    tsconfigRaw: {},
  });
  const [output] = outputFiles;
  const loaded: { readonly migrations: readonly MigrationDefinition[] } = await import(
    `data:text/javascript;base64,${Buffer.from(output?.contents ?? "").toString("base64")}`
  );
  return loaded.migrations;
}
