/** `realmc seed`: fills empty collections with the documents that the configuration has for them. */
import { join } from "node:path";
import type { Command } from "commander";
import { seedsInto } from "../check/seeds-into.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { analyse } from "../pipeline.ts";
import { exit } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { helpExamples } from "./help-examples.ts";
import { inPassingBundle } from "./passing-bundle.ts";
import { reportDiagnostics } from "./report.ts";
import { runServer } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

interface SeedOptions {
  readonly store: string;
  readonly realm?: string;
}

export function seedCommand(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  program
    .command("seed")
    .description("fills empty collections with the documents of <realm>/_seed; others are left as they are")
    .argument("<config>", "folder of realms")
    .requiredOption(
      "--store <store>",
      "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either",
    )
    .option("--realm <name>", "only this realm")
    .addHelpText("after", helpExamples.seed)
    .action(async (config: string, options: SeedOptions) => finish(await seed(config, options, terminal)));
}

/** @throws UsageError */
async function seed(config: string, { store, realm }: SeedOptions, terminal: Terminal): Promise<number> {
  requireFolder(config);
  if (realm !== undefined) requireRealm(config, realm);
  const { realms, diagnostics: found } = await analyse(config, { only: realm });
  const diagnostics = withoutHints(found);
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, diagnostics, { ...terminal.errLook, line: terminal.err });
    return exit.diagnostics;
  }
  return inPassingBundle(realms, async (folder) => {
    const seeds = join(folder, "seeds");
    if (await seedsInto(seeds, config, realm))
      return runServer(folder, ["seed", `--store=${store}`, `--from=${seeds}`]);
    terminal.out("there are no seeds: <realm>/_seed/<database>/<collection>.ndjson, .csv or .yaml");
    return exit.ok;
  });
}
