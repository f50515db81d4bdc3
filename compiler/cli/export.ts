import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

/** @param inBundle runs a command of the bundle */
export function exportCommand(
  program: Command,
  inBundle: (options: object, command: Command) => Promise<void>,
): void {
  program
    .command("export")
    .description(
      "writes documents into files, sorted by id, beside a running server; goes on where it was interrupted",
    )
    .option("--store <store>", "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either")
    .option("--url <server>", "a running server; an administrator's key in REALMC_KEY")
    .requiredOption("--to <place>", "a folder, a file whose name ends with .ndjson, or - for stdout")
    .option("--realm <name>", "only this realm")
    .option("--collection <name>", "only this collection, <database>/<collection>")
    .option("--where <json>", "only documents of the collection that satisfy it, as in the API")
    .option("--meta", "with _meta of each document, and with deleted documents")
    .option(
      "--include <list>",
      "beside documents, from a store into a folder: users, keys, organizations, files; hashes, never secrets",
    )
    .option(
      "--data <folder>",
      "of --include files: SVC_DATA of the servers (default: the folder of the store)",
    )
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.export)
    .action(inBundle);
}
