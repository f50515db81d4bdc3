import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

/** @param inBundle runs a command of the bundle */
export function dropCommand(
  program: Command,
  inBundle: (options: object, command: Command) => Promise<void>,
): void {
  program
    .command("drop")
    .description(
      "removes the data of a collection that is configured no longer; alone, says how much that is",
    )
    .argument("<collection>", "<realm>/<database>/<collection>")
    .requiredOption(
      "--store <store>",
      "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either",
    )
    .option("--yes-delete <documents>", "removes them, if they are exactly so many")
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.drop)
    .action((_collection: string, options: object, command: Command) => inBundle(options, command));
}
