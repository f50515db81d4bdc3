/** The command line of `realmc`. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { InternalError, internalError } from "../diagnostics/internal-error.ts";
import { compilerVersion } from "../package/package.ts";
import { backupCommands } from "./backup.ts";
import type { BuildOptions } from "./build.ts";
import type { CheckOptions } from "./check.ts";
import type { DevOptions } from "./dev.ts";
import type { DiffOptions } from "./diff.ts";
import { dropCommand } from "./drop.ts";
import { exit, UsageError } from "./exit.ts";
import { explainCommand } from "./explain-command.ts";
import type { ExplainRuleOptions } from "./explain-rule.ts";
import { exportCommand } from "./export.ts";
import { helpExamples } from "./help-examples.ts";
import { importCommand } from "./import.ts";
import type { InvokeOptions } from "./invoke.ts";
import { matrixCommand } from "./matrix.ts";
import { migrateCommand } from "./migrate.ts";
import { migrationCommand } from "./migration.ts";
import { planCommand } from "./plan.ts";
import { reportDiagnostics } from "./report.ts";
import { seedCommand } from "./seed.ts";
import { createTerminal, type Surroundings, type Terminal } from "./terminal.ts";
import { testCommand } from "./test.ts";
import { verifyCommand } from "./verify.ts";

/** Runs a command line, in the process's surroundings unless others are given; answers the exit code. */
export async function main(
  words: readonly string[],
  surroundings: Surroundings = ofProcess(),
): Promise<number> {
  const terminal = createTerminal(surroundings);
  let code: number = exit.ok;
  const program = commandLine(terminal, surroundings, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...words], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage;
    if (error instanceof InternalError) {
      reportDiagnostics("", [internalError(error)], { ...terminal.errLook, line: terminal.err });
      return exit.diagnostics;
    }
    if (!(error instanceof UsageError)) throw error;
    terminal.fail(error.message);
    return exit.usage;
  }
}

/** A command as its help prints it. */
export interface ListedCommand {
  /** `key create`. */
  readonly name: string;
  /** `--realm`. */
  readonly options: readonly string[];
}

/** Every command that does something, with all of its options. */
export function listedCommands(): readonly ListedCommand[] {
  const surroundings = ofProcess();
  const listed = (command: Command, outer: readonly string[]): readonly ListedCommand[] => {
    const words = [...outer, command.name()];
    const options = command.options.flatMap(({ long }) => (long == null ? [] : [long]));
    const inner = command.commands.flatMap((each) => listed(each, words));
    return options.length === 0 && inner.length > 0 ? inner : [{ name: words.join(" "), options }, ...inner];
  };
  const program = commandLine(createTerminal(surroundings), surroundings, () => undefined);
  return program.commands.flatMap((each) => listed(each, []));
}

function ofProcess(): Surroundings {
  const { stdout, stderr, env } = process;
  for (const stream of [stdout, stderr]) stream.on("error", ignoreClosed);
  return { stdout, stderr, environment: env };
}

/** Whoever reads may have read enough: `realmc explain | head`. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

function commandLine(
  terminal: Terminal,
  { stdout, stderr, environment }: Surroundings,
  finish: (code: number) => void,
): Command {
  const program = new Command("realmc")
    .description("Compiles realm configurations to a typed document-store server.")
    .version(compilerVersion())
    .showHelpAfterError("(realmc --help lists commands and options)")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
    .addHelpText("after", examples);

  program
    .command("init")
    .description("writes a small configuration that builds and runs, with what its folder needs around it")
    .argument("[folder]", "where to; made where it is missing", ".")
    .option("--keep-existing", "leave files that are there as they are; without: write nothing then, exit 1")
    .addHelpText("after", helpExamples.init)
    .action(async (folder: string, options: { keepExisting?: true }) => {
      const { init } = await import("./init.ts");
      finish(await init(folder, options, terminal));
    });

  program
    .command("build")
    .description("checks a configuration and emits its server")
    .argument("<config>", "folder of realms")
    .option("--out <folder>", "where emitted code goes", "generated")
    .option("--bundle <folder>", "also make what is deployed: server.mjs, OpenAPI documents, package.json")
    .option("--realm <name>", "only this realm; the others stay as they are")
    .option("--check", "write nothing; exit 1 when the output is stale")
    .addOption(standaloneClient())
    .addHelpText("after", helpExamples.build)
    .action(async (config: string, options: BuildOptions) => {
      const { build } = await import("./build.ts");
      finish(await build(config, options, terminal));
    });

  program
    .command("check")
    .description("reports every mistake of a configuration at its place")
    .argument("<config>", "folder of realms")
    .addOption(
      new Option("--format <format>", "of the diagnostics")
        .choices(["text", "json", "github", "sarif"])
        .default("text"),
    )
    .option(
      "--relative-to <folder>",
      "name files from this folder; without: from <config>, for github and sarif from GITHUB_WORKSPACE",
    )
    .option(
      "--against <folder>",
      "output of a build before: refuses what would show its readers fields that were hidden",
    )
    .option(
      "--store <store>",
      "tell secrets that are not set there: sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either",
    )
    .option("--no-hints", "leave out what is right and could be better")
    .addHelpText("after", helpExamples.check)
    .action(async (config: string, options: CheckOptions) => {
      const { check } = await import("./check.ts");
      finish(await check(config, options, terminal, environment));
    });

  const explaining = explainCommand(program, { terminal, environment, finish });
  explaining
    .command("rule")
    .description(
      "says what a rule comes to: its form, facts, code, and for callers filter, SQL, plan, MongoDB query",
    )
    .argument("<collection>", "<database>/<collection>, or with the realm before it")
    .argument(
      "[rule]",
      "create, read, update, delete, restore, purge, fields.<path>.read or .write; without: lists all",
    )
    .argument("[config]", "folder of realms (default: config)")
    .option("--realm <name>", "where several realms have such a collection")
    .option(
      "--caller <json>",
      "anonymous, or a user as JSON, or @ and a file with it; repeatable; without: made up from what the rule asks for",
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option("--json", "for programs")
    .addHelpText("after", helpExamples.explainRule)
    .action(
      async (
        collection: string,
        rule: string | undefined,
        config: string | undefined,
        options: ExplainRuleOptions,
      ) => {
        const { explainRuleOf } = await import("./explain-rule.ts");
        finish(await explainRuleOf(collection, [rule, config], options, terminal));
      },
    );

  program
    .command("diff")
    .description(
      "says what changed for clients: leaks, breaking, additive, internal; exit 1 where something leaks or breaks",
    )
    .argument("<old>", "folder of realms, or output that was built from one")
    .argument("<new>", "the same, as it is now")
    .option("--allow-breaking", "exit 0 whatever breaks; what leaks is still 1")
    .option(
      "--no-new-access",
      "only whether somebody may do what they could not: PASS, or FAIL with each access; exit 1",
    )
    .addOption(new Option("--format <format>", "of the changes").choices(["text", "json"]).default("text"))
    .addHelpText("after", helpExamples.diff)
    .action(async (old: string, now: string, options: DiffOptions) => {
      const { diff } = await import("./diff.ts");
      finish(await diff(old, now, options, terminal));
    });

  program
    .command("dev")
    .description("builds, serves on the embedded store, watches; a change restarts what it concerns")
    .argument("<config>", "folder of realms")
    .option("--out <folder>", "where emitted code goes", "generated")
    .option("--port <number>", "where to listen; without: PORT, else 8080", portNumber)
    .option("--data <folder>", "where documents are kept; without: as SVC_STORE says, else data")
    .option(
      "--key",
      "make an administrator's key for each realm and print it; the one of the run before ends",
    )
    .addOption(standaloneClient())
    .addHelpText("after", helpExamples.dev)
    .action(async (config: string, options: DevOptions) => {
      const { dev } = await import("./dev.ts");
      finish(await dev(config, options, terminal, environment));
    });

  program
    .command("serve")
    .description("runs a bundle; configured by environment only")
    .argument("[dist]", "folder of the bundle (default: dist)")
    .option("--dist <folder>", "the same")
    .option("--handover", "have the server that runs hand over to the bundle as it is now, and wait")
    .addHelpText("after", helpExamples.serve)
    .action(async (folder: string | undefined, { dist, handover }: { dist?: string; handover?: true }) => {
      const { runServer } = await import("./serve.ts");
      finish(await runServer(folder ?? dist ?? "dist", handover ? ["handover"] : []));
    });

  const inBundle = async (_options: object, command: Command) => finish(await runCommand(command));
  const key = program.command("key").description("manages API keys").addHelpText("after", helpExamples.key);
  key
    .command("create")
    .description("makes an API key and prints it, alone, on the last line of stdout")
    .requiredOption("--realm <name>", "realm it is for")
    .requiredOption("--name <name>", "its name, unique in the realm")
    .option("--admin", "full administrator")
    .option("--areas <list>", "administrator of areas, comma-separated")
    .option("--user <id>", "always acts as this user")
    .option("--org <id>", "acts as a member of this organization, there alone")
    .option("--roles <list>", "of that member, comma-separated")
    .option("--teams <list>", "of that member: ids, comma-separated")
    .option("--on-behalf-of", "may act for users")
    .option("--on-behalf-of-required", "acts for users alone")
    .option("--scopes <json>", 'what it may do, for example {"read": "*"}; without: everything')
    .option("--networks <list>", "networks it may be used from, comma-separated")
    .option("--expires-in <duration>", "for example 30d; without: never")
    .option("--replace", "ends a key of this name")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.keyCreate)
    .action(inBundle);
  key
    .command("list")
    .description("prints what each API key may do, a line of JSON each")
    .requiredOption("--realm <name>", "realm they are for")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.keyList)
    .action(inBundle);
  key
    .command("rotate")
    .description("prints a new API key in place of one, which lives on for a while")
    .requiredOption("--realm <name>", "realm it is for")
    .requiredOption("--name <name>", "its name")
    .option("--overlap <duration>", "for how long the former one does, 0s to 7d (default: 24h)")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.keyRotate)
    .action(inBundle);
  key
    .command("revoke")
    .description("ends an API key")
    .requiredOption("--realm <name>", "realm it is for")
    .option("--name <name>", "its name, where it is an operator's")
    .option("--id <id>", "its id, as key list prints it: of anybody's key")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.keyRevoke)
    .action(inBundle);

  const secret = program
    .command("secret")
    .description("manages secrets of functions")
    .addHelpText("after", helpExamples.secret);
  secret
    .command("set")
    .description("sets a secret to what comes on stdin; functions have it from their next run on")
    .requiredOption("--realm <name>", "realm it is for")
    .requiredOption("--name <name>", "its name, as function.yaml declares it")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.secretSet)
    .action(inBundle);
  secret
    .command("list")
    .description("prints the secrets that functions declare, and whether they are set, a line of JSON each")
    .requiredOption("--realm <name>", "realm they are for")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.secretList)
    .action(inBundle);

  program
    .command("copy")
    .description(
      "moves what realms store to another store, files included, and compares both; no server may be running",
    )
    .requiredOption(
      "--from <store>",
      "sqlite:<folder>, a mongodb:// URI, or env:<variable> that holds either",
    )
    .option("--to <store>", "where to; a copy that was interrupted goes on; without: files alone")
    .option("--files-from <place>", "a data folder, s3://<bucket>/<prefix>, or env:<variable>")
    .option("--files-to <place>", "where files go; without: where storage of realm.yaml says, from and to")
    .option("--realm <name>", "only this realm")
    .option("--into-non-empty", "copies over the documents that the target holds; others in it stay")
    .option("--dist <folder>", "folder of the bundle", "dist")
    .addHelpText("after", helpExamples.copy)
    .action(inBundle);

  exportCommand(program, inBundle);
  importCommand(program, inBundle);
  migrateCommand(program, inBundle);
  backupCommands(program, inBundle);
  verifyCommand(program, inBundle);
  dropCommand(program, inBundle);

  program
    .command("invoke")
    .description("runs a function once and prints its output as JSON; exit 1 with the error where it fails")
    .argument("<function>", "<realm>/<database>/<function>")
    .option(
      "--input <file>",
      "- for stdin. Of a call: its input, JSON, {} without; of a webhook: the body; of an event function: the event",
    )
    .option("--as <user id>", "the user who calls, by the rules; without: as an API key without limits does")
    .option("--config <folder>", "folder of realms", "config")
    .option("--store <store>", "what it works on (default: SVC_STORE, else sqlite:./data)")
    .addHelpText("after", helpExamples.invoke)
    .action(async (name: string, options: InvokeOptions) => {
      const { invoke } = await import("./invoke.ts");
      finish(await invoke(name, options, terminal));
    });

  migrationCommand(program, terminal, finish);
  planCommand(program, terminal, { environment }, finish);
  matrixCommand(program, terminal, finish);
  testCommand(program, terminal, environment, finish);
  seedCommand(program, terminal, finish);
  return program;
}

/** Runs a command of the bundle, with the words that gave it and its options. */
async function runCommand(command: Command): Promise<number> {
  const { runServer } = await import("./serve.ts");
  const { dist, ...options } = command.opts<{ dist: string } & Record<string, string | boolean>>();
  const words = command.options.flatMap((option) => {
    const value = options[option.attributeName()];
    if (value === undefined || option.long == null) return [];
    if (typeof value === "string") return [`${option.long}=${value}`];
    // Of `--no-verify` the value is what it says no to.
    return value === option.negate ? [] : [option.long];
  });
  const around = command.parent?.parent == null ? [] : [command.parent.name()];
  return runServer(dist, [...around, command.name(), ...command.args, ...words]);
}

/** Of all commands that emit. */
function standaloneClient(): Option {
  return new Option("--standalone-client", "emit each client.ts so that it imports nothing, to be copied");
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}

const examples = `
Examples:
  realmc init
  realmc check config
  realmc explain unknown-key
  realmc explain rule support/tickets read
  realmc matrix config
  realmc test config
  realmc explain helpdesk/support/tickets --as anonymous --op list
  realmc build config --out generated --bundle dist
  realmc dev config
  realmc serve dist
  realmc key create --realm helpdesk --name deploy --admin
  realmc copy --from sqlite:./data --to env:SVC_STORE
  realmc plan config --store sqlite:./data --check
  realmc export --store sqlite:./data --to export
  realmc import --store sqlite:./data --from export --rejects rejects.ndjson
  realmc backup --store sqlite:./data --to /backup/shop
  realmc seed config --store sqlite:./data
  realmc invoke helpdesk/support/close --input close.json --as 01m80gqnc35k9gxxpya9

Exit codes: 0 done, 1 the configuration has errors (or the output is stale, or files are in the way of init),
2 the command line has, 3 a store cannot be reached.`;
