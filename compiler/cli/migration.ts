/** `realmc migration`: the commands about migrations that are written. */
import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { MigrationNewOptions } from "./migration-new.ts";
import type { Terminal } from "./terminal.ts";

export function migrationCommand(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  program
    .command("migration")
    .description("writes migrations of documents")
    .addHelpText("after", helpExamples.migration)
    .command("new")
    .description("writes the next migration of a collection, and beside it the schema that its documents had")
    .argument("<collection>", "<realm>/<database>/<collection>")
    .argument("<name>", "what it does, in words of a-z and 0-9 with - between them")
    .argument("[config]", "folder of realms", "config")
    .option("--yaml", "steps in YAML; without: TypeScript")
    .option("--old <folder>", "configuration or output as it was before the change", "generated")
    .addHelpText("after", helpExamples.migrationNew)
    .action(async (collection: string, name: string, config: string, options: MigrationNewOptions) => {
      const { migrationNew } = await import("./migration-new.ts");
      finish(await migrationNew(collection, { name, config, ...options }, terminal));
    });
}
