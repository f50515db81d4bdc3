import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

/** @param inBundle runs a command of the bundle */
export function migrateCommand(
  program: Command,
  inBundle: (options: object, command: Command) => Promise<void>,
): void {
  program
    .command("migrate")
    .description(
      "brings stored documents into the form of their newest migration; goes on where it was interrupted",
    )
    .requiredOption(
      "--store <store>",
      "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either",
    )
    .option("--realm <name>", "only this realm")
    .option("--collection <name>", "only this collection, <database>/<collection>")
    .option("--dry-run", "writes nothing, and shows what would become of the first documents")
    .option("--back <number>", "undoes the migrations after this one; 0000: all")
    .option("--rate <number>", "documents a second at most")
    .option("--strict", "ends at the first document that is refused")
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.migrate)
    .action(inBundle);
}
