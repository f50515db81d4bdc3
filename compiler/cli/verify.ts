import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

/** @param inBundle runs a command of the bundle */
export function verifyCommand(
  program: Command,
  inBundle: (options: object, command: Command) => Promise<void>,
): void {
  program
    .command("verify")
    .description(
      "looks at every page, document, index and file of a backup or a store, beside a running server too; exit 1 with findings",
    )
    .argument("<place>", "the folder of a backup, sqlite:<folder>, or env:<variable> that holds either")
    .option("--realm <name>", "only this realm")
    .option("--data <folder>", "SVC_DATA of the server (default: the folder of the store)")
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.verify)
    .action((_place: string, options: object, command: Command) => inBundle(options, command));
}
