/** `realmc plan`: what deploying a configuration would mean for what is stored. */
import type { Command } from "commander";
import { Option } from "commander";
import { helpExamples } from "./help-examples.ts";
import type { PlanOptions } from "./planned.ts";
import type { Surroundings, Terminal } from "./terminal.ts";

export function planCommand(
  program: Command,
  terminal: Terminal,
  { environment }: Pick<Surroundings, "environment">,
  finish: (code: number) => void,
): void {
  program
    .command("plan")
    .description(
      "says what deploying a configuration means for the documents of a store, and changes nothing; goes on where it was interrupted",
    )
    .argument("[config]", "folder of realms, as it is to be deployed", "config")
    .option("--store <store>", "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either")
    .option("--url <url>", "a running server in place of a store; an administrator's key is in REALMC_KEY")
    .option("--realm <name>", "only this realm")
    .option("--check", "exit 1 for anything that is not safe")
    .option("--sample <number>", "look at this many documents of each collection at most")
    .option(
      "--old <folder>",
      "configuration or output that is deployed now; without: what the store recorded",
    )
    .option(
      "--rehearse",
      "also migrate and verify a copy of an embedded store, and say where that comes to something else; exit 1 then",
    )
    .option("--scratch <folder>", "where the copy is made, and removed again (default: the system's folder)")
    .option("--data <folder>", "of --rehearse: SVC_DATA of the server (default: the folder of the store)")
    .addOption(new Option("--format <format>", "of the findings").choices(["text", "json"]).default("text"))
    .addHelpText("after", helpExamples.plan)
    .action(async (config: string, options: PlanOptions) => {
      const { plan } = await import("./planned.ts");
      finish(await plan(config, options, terminal, environment));
    });
}
