import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

type InBundle = (options: object, command: Command) => Promise<void>;

/** `backup`, and what is done with one. @param inBundle runs a command of the bundle */
export function backupCommands(program: Command, inBundle: InBundle): void {
  program
    .command("backup")
    .description(
      "copies an embedded store and its files into a folder, beside a running server; again, only what changed",
    )
    .requiredOption("--store <store>", "sqlite:<folder>, or env:<variable> that holds it")
    // Of MongoDB it says what to run instead.
    .option("--to <folder>", "the backup's folder, the same every time")
    .option("--realm <name>", "only this realm")
    .option("--data <folder>", "SVC_DATA of the server (default: the folder of the store)")
    .option("--include-keys", "with the file keys, which opens what is encrypted")
    .option("--no-verify", "does not read back what was written")
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.backup)
    .action(inBundle);
  program
    .command("restore")
    .description("puts a backup into an empty folder as its store; goes on where it was interrupted")
    .option("--from <folder>", "the backup's folder")
    .requiredOption("--to <store>", "sqlite:<folder>, which is empty or made")
    .option("--realm <name>", "only this realm")
    .option("--data <folder>", "SVC_DATA of the server (default: the folder of the store)")
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.restore)
    .action(inBundle);
}
