import { setFlagsFromString } from "node:v8";
import { systemClock } from "../clock.ts";
import { StoreUnavailable } from "../store/contract/errors.ts";
import { type Program, type Surroundings, UsageError } from "./command.ts";
import { copyCommand, copyUsage } from "./copy/command.ts";
import { invokeCommand, invokeUsage } from "./invoke-command.ts";
import { keyCommand, keyUsage } from "./key-command.ts";
import { serve } from "./serve.ts";

const usage = `usage: server              serve, configured by the environment (HOST, PORT, SVC_…)
       server ${keyUsage}
       server ${copyUsage}
       server ${invokeUsage}
       server --help`;

/** The server process: parses the command line, runs the command and sets the exit code (0, 1 failure, 2 usage). */
export async function main(program: Program): Promise<void> {
  // What a request makes is gone when it is answered. V8 takes it for lasting, since its first collections come while the
  // young generation is small and find most of it in use, and makes it among what lasts from then on.
  setFlagsFromString("--no-allocation-site-pretenuring");
  process.exitCode = await run(program, process.argv.slice(2), {
    environment: process.env,
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
  });
}

/** Runs one command; answers the exit code. Of a server that is serving it resolves when it has stopped. */
export async function run(
  program: Program,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { out, err } = surroundings;
  const [first, second] = words;
  try {
    if (first === undefined) return await serve(program, surroundings);
    if (words.some((word) => word === "--help" || word === "-h")) {
      out(usage);
      return 0;
    }
    if (first === "key" && (await keyCommand(program, words.slice(1), surroundings, systemClock))) return 0;
    if (first === "copy") return await copyCommand(program, words.slice(1), surroundings, systemClock);
    if (first === "invoke") return await invokeCommand(program, words.slice(1), surroundings, systemClock);
    throw new UsageError(`unknown command: ${[first, second].join(" ").trim()}`);
  } catch (error) {
    if (error instanceof UsageError) {
      err(`${error.message}\n${usage}`);
      return 2;
    }
    err(messageOf(error));
    return 1;
  }
}

/** An error as whoever started the process reads it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return error instanceof StoreUnavailable && cause instanceof Error
    ? `${message}: ${cause.message}`
    : message;
}
