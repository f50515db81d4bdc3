import { type Command, InvalidArgumentError, Option } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { TestOptions } from "./run-tests.ts";
import type { Terminal } from "./terminal.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function testCommand(
  program: Command,
  terminal: Terminal,
  environment: Environment,
  finish: (code: number) => void,
): void {
  program
    .command("test")
    .description("runs the rule tests of a configuration (_tests/*.yaml); exit 1 where one fails")
    .argument("[config]", "folder of realms (default: config)")
    .option("--filter <text>", "only tests with this text in their file or name")
    .option(
      "--write [collection]",
      "write first tests (_tests/rules.yaml) of a collection <realm>/<database>/<collection>, or of all that have none",
    )
    .option("--watch", "run them again at every change")
    .addOption(
      new Option("--format <format>", "of the results")
        .choices(["text", "json", "junit", "github"])
        .default("text"),
    )
    .option(
      "--coverage [report]",
      "which clauses of rules were never true, or never false: text, lcov:<file> or html:<folder>; repeatable",
      (report: string, before: unknown) => [...(Array.isArray(before) ? before : []), report],
    )
    .option("--min-coverage <percent>", "exit 1 where less is covered", percentage)
    .addHelpText("after", helpExamples.test)
    .action(async (config: string | undefined, options: TestOptions) => {
      const { runTests } = await import("./run-tests.ts");
      finish(await runTests(config, options, terminal, environment));
    });
}

function percentage(text: string): number {
  const percent = /^\d{1,3}(?:\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent <= 100) return percent;
  throw new InvalidArgumentError("A percentage is a number from 0 to 100.");
}
