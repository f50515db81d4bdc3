import { setFlagsFromString } from "node:v8";
import { type Clock, systemClock } from "../clock.ts";
import { StoreRefused, StoreUnavailable } from "../store/contract/errors.ts";
import { FolderLocked } from "../store/sqlite/lock.ts";
import { backupCommand, backupUsage } from "./backup/backup-command.ts";
import { restoreCommand, restoreUsage } from "./backup/restore-command.ts";
import { type Program, type Surroundings, UsageError } from "./command.ts";
import { copyCommand, copyUsage } from "./copy/command.ts";
import { dropCommand, dropUsage } from "./drop-command.ts";
import { handoverCommand, handoverUsage } from "./handover/command.ts";
import { invokeCommand, invokeUsage } from "./invoke-command.ts";
import { keyCommand, keyUsage } from "./key-command.ts";
import { messageOf } from "./message-of.ts";
import { migrateCommand, migrateUsage } from "./migrate-command.ts";
import { secretCommand, secretUsage } from "./secret-command.ts";
import { serve } from "./serve.ts";
import { exportCommand, exportUsage } from "./transfer/export-command.ts";
import { importCommand, importUsage } from "./transfer/import-command.ts";
import { ServerRefused, ServerUnreachable } from "./transfer/remote.ts";
import { seedCommand, seedUsage } from "./transfer/seeding.ts";
import { verifyCommand, verifyUsage } from "./verify/command.ts";

interface Command {
  /** Its lines of the usage, which stand behind `server`. */
  readonly usage: string;
  /** Whether it tells a store or a server out of reach, exit code 3, from data that it refuses. */
  readonly reaches?: boolean;
  /** Answers the exit code. */
  run(program: Program, words: readonly string[], surroundings: Surroundings, clock: Clock): Promise<number>;
}

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["key", { usage: keyUsage, run: keyCommand }],
  ["secret", { usage: secretUsage, run: secretCommand }],
  ["copy", { usage: copyUsage, run: copyCommand }],
  ["export", { usage: exportUsage, run: exportCommand, reaches: true }],
  ["import", { usage: importUsage, run: importCommand, reaches: true }],
  ["seed", { usage: seedUsage, run: seedCommand, reaches: true }],
  ["migrate", { usage: migrateUsage, run: migrateCommand, reaches: true }],
  ["backup", { usage: backupUsage, run: backupCommand, reaches: true }],
  ["restore", { usage: restoreUsage, run: restoreCommand, reaches: true }],
  ["verify", { usage: verifyUsage, run: verifyCommand, reaches: true }],
  ["drop", { usage: dropUsage, run: dropCommand, reaches: true }],
  ["invoke", { usage: invokeUsage, run: invokeCommand }],
  ["handover", { usage: handoverUsage, run: (_, words, around) => handoverCommand(words, around) }],
]);

const usage = `usage: server              serve, configured by the environment (HOST, PORT, SVC_…)
${[...commands.values()].map((command) => `       server ${command.usage}`).join("\n")}
       server --help`;

/** The server process: parses the command line, runs the command and sets the exit code (see {@link run}). */
export async function main(program: Program): Promise<void> {
  // What a request makes is gone when it is answered. V8 takes it for lasting, since its first collections come while the
  // young generation is small and find most of it in use, and makes it among what lasts from then on.
  setFlagsFromString("--no-allocation-site-pretenuring");
  process.exitCode = await run(program, process.argv.slice(2), {
    environment: process.env,
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    write: writeOut,
  });
}

/**
 * Runs one command; answers the exit code: 0, 1 failure, 2 usage, 3 where a command that moves data cannot reach the store or
 * the server.
 * Of a server that is serving it resolves when it has stopped.
 */
export async function run(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { out, err } = surroundings;
  const [first, second] = words;
  const command = first === undefined ? undefined : commands.get(first);
  try {
    if (first === undefined) return await serve(program, surroundings);
    if (words.some((word) => word === "--help" || word === "-h")) {
      out(usage);
      return 0;
    }
    if (command === undefined) throw new UsageError(`unknown command: ${[first, second].join(" ").trim()}`);
    return await command.run(program, words.slice(1), surroundings, systemClock);
  } catch (error) {
    if (error instanceof UsageError) {
      err(`${error.message}\n${command === undefined ? usage : `usage: server ${command.usage}`}`);
      return 2;
    }
    err(messageOf(error));
    return command?.reaches === true && isUnreachable(error) ? 3 : 1;
  }
}

/** @throws Error where nobody reads it any more: `export --to - | head` */
function writeOut(text: string): Promise<void> {
  const { stdout } = process;
  // The one who waits hears of it.
  if (stdout.listenerCount("error") === 0) stdout.on("error", () => undefined);
  return new Promise((taken, failed) => {
    stdout.write(text, (error) =>
      error == null ? taken() : failed(new Error("nobody reads standard output")),
    );
  });
}

function isUnreachable(error: unknown): boolean {
  const kinds = [StoreUnavailable, StoreRefused, FolderLocked, ServerUnreachable, ServerRefused];
  return kinds.some((kind) => error instanceof kind);
}
