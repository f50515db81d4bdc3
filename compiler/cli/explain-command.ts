import { type Command, Option } from "commander";
import { UsageError } from "./exit.ts";
import type { ExplainDecisionOptions } from "./explain-options.ts";
import { helpExamples } from "./help-examples.ts";
import type { Surroundings, Terminal } from "./terminal.ts";

interface Around extends Pick<Surroundings, "environment"> {
  readonly terminal: Terminal;
  readonly finish: (code: number) => void;
}

/** `realmc explain`, to which others are added. */
export function explainCommand(program: Command, { terminal, environment, finish }: Around): Command {
  return program
    .command("explain")
    .description(
      "says what a diagnostic means; or whether somebody may do something, and the clause that decides",
    )
    .argument(
      "[what]",
      "code of a diagnostic, or <realm>/<database>/<collection or function>; without: lists all codes",
    )
    .option(
      "--as <caller>",
      "of a collection: who asks. A caller of --tests, with --url a user's id, else JSON or @file",
    )
    .option(
      "--doc <document>",
      "what they ask about: a document of --tests, with --url its id, else JSON or @file",
    )
    .option(
      "--op <operation>",
      "create, read, update (or patch), replace, delete, restore, purge, list; call of a function",
    )
    .option("--data <json>", "what is written: a document, or the patch of one; or @file")
    .option("--org <id>", "organization that a create names")
    .option("--team <id>", "team that a create names")
    .option(
      "--tests <file>",
      "file of rule tests with the callers and documents; its configuration is found above it",
    )
    .option("--url <base>", "server with the users and documents; REALMC_KEY holds an administrator's key")
    .option("--config <folder>", "folder of realms; without: the one above --tests, else config")
    .addOption(new Option("--format <format>", "of the decision").choices(["text", "json"]).default("text"))
    .addHelpText("after", helpExamples.explain)
    .action(async (what: string | undefined, options: ExplainDecisionOptions) => {
      if (what?.split("/").length === 3) {
        const { explainDecisionOf } = await import("./explain-decision.ts");
        return finish(await explainDecisionOf(what, options, terminal, environment));
      }
      const [given] = ["as", "doc", "op", "data", "tests", "url"].filter((name) =>
        Object.hasOwn(options, name),
      );
      if (given !== undefined)
        throw new UsageError(
          `--${given} goes with a collection (realmc explain <realm>/<database>/<collection>)`,
        );
      const { explain } = await import("./explain.ts");
      finish(explain(what, terminal));
    });
}
