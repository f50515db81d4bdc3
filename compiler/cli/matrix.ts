/** `realmc matrix`: who can do what. */
import type { Command } from "commander";
import { Option } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { MatrixOptions } from "./print-matrix.ts";
import type { Terminal } from "./terminal.ts";

export function matrixCommand(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  program
    .command("matrix")
    .description("says who can do what in every collection, proved from the rules: always, never, or if what")
    .argument("[config]", "folder of realms", "config")
    .option("--realm <name>", "only this realm")
    .addOption(
      new Option("--format <format>", "of the matrix")
        .choices(["text", "markdown", "json", "html"])
        .default("text"),
    )
    .option(
      "--check <file>",
      "a matrix as JSON that was committed: prints the cells that are others; exit 1 if any",
    )
    .option(
      "--never <cell>",
      "'<row>: <column> <database>/<collection>', or with the realm before it; exit 1 unless it is never; repeatable",
      (cell: string, before: readonly string[] = []) => [...before, cell],
    )
    .addHelpText("after", helpExamples.matrix)
    .action(async (config: string, options: MatrixOptions) => {
      const { printMatrix } = await import("./print-matrix.ts");
      finish(await printMatrix(config, options, terminal));
    });
}
