import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

/** @param inBundle runs a command of the bundle */
export function importCommand(
  program: Command,
  inBundle: (options: object, command: Command) => Promise<void>,
): void {
  program
    .command("import")
    .description(
      "writes documents of files into a store or through a server, as the API would take them; goes on where it was interrupted; exit 1 where any are rejected",
    )
    .option("--store <store>", "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either")
    .option("--url <server>", "a running server; an administrator's key in REALMC_KEY")
    .requiredOption(
      "--from <place>",
      "a folder as export writes it, a file whose name ends with .ndjson, or - for stdin",
    )
    .option("--realm <name>", "only this realm")
    .option("--collection <name>", "only this collection, <database>/<collection>; needed for one file")
    .option(
      "--include <list>",
      "beside documents, of a folder into a store: users, keys, organizations, files",
    )
    .option(
      "--data <folder>",
      "of --include files: SVC_DATA of the servers (default: the folder of the store)",
    )
    .option(
      "--mode <mode>",
      "of documents that are there: create rejects them, replace puts others in their place, merge changes them (default: create)",
    )
    .option("--meta", "with _meta of each document as it comes, and with deleted documents")
    .option("--batch <documents>", "written in one transaction (default: 500; at most 1000 with --url)")
    .option("--rejects <file>", "gets a line for each document that is rejected, and why")
    .option("--format <format>", "text or json, of the results (default: text)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.import)
    .action(inBundle);
}
