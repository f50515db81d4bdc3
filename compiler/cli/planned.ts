import { systemClock } from "../../runtime/clock.ts";
import { UsageError as WordsError } from "../../runtime/instance/command.ts";
import { requireFolder as requireStore } from "../../runtime/instance/command-words.ts";
import { messageOf } from "../../runtime/instance/message-of.ts";
import { placeOf } from "../../runtime/instance/transfer/places.ts";
import { ServerAnswered, ServerRefused, ServerUnreachable } from "../../runtime/instance/transfer/remote.ts";
import { StoreRefused, StoreUnavailable } from "../../runtime/store/contract/errors.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import { analysed, UnknownOutput } from "../diff/sides.ts";
import { type Analysis, analyse } from "../pipeline.ts";
import type { Plan } from "../plan/finding.ts";
import { type Held, heldByServer, heldInStore } from "../plan/held.ts";
import { planFor } from "../plan/plan.ts";
import { NothingRecorded } from "../plan/realm-sides.ts";
import { renderPlan, renderPlanCount, renderPlanJson } from "../plan/render.ts";
import { exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Surroundings, Terminal } from "./terminal.ts";

export interface PlanOptions {
  readonly store?: string;
  /** Of a server; the key is in `REALMC_KEY`. */
  readonly url?: string;
  readonly realm?: string;
  readonly check?: true;
  readonly sample?: string;
  readonly old?: string;
  readonly format: "text" | "json";
}

/** Of commands that reach a store or a server. */
const unreachable = 3;
const notReached = [StoreUnavailable, StoreRefused, ServerUnreachable, ServerRefused, ServerAnswered];

/**
 * `realmc plan`: findings on stdout, progress on stderr; 0, with `--check` 1 for anything but what is safe, 1 where the
 * configuration has mistakes, 3 where the store or server cannot be reached.
 * @throws UsageError
 */
export async function plan(
  config: string,
  options: PlanOptions,
  terminal: Terminal,
  environment: Surroundings["environment"],
): Promise<number> {
  requireFolder(config);
  if (options.old !== undefined) requireFolder(options.old);
  if (options.realm !== undefined) requireRealm(config, options.realm);
  const sample = sampleIn(options.sample);
  try {
    const held = await heldBy(options, environment);
    try {
      const analysis = await analyse(config, { step: terminal.step });
      const before = options.old === undefined ? undefined : await analysed(options.old, terminal.step);
      if (
        isFaulty(config, analysis, terminal) ||
        (before !== undefined && isFaulty(options.old ?? "", before, terminal))
      )
        return exit.diagnostics;
      terminal.step(`reading ${held.name}`);
      const made = await planFor({
        ...{ held, sample, environment, clock: systemClock },
        now: analysis.realms,
        old: before?.realms,
        only: options.realm,
        tell: terminal.err,
      });
      print(made, options.format, terminal);
      const isSafe = made.findings.every(({ severity }) => severity === "safe");
      return options.check && !isSafe ? exit.diagnostics : exit.ok;
    } finally {
      await held.close();
    }
  } catch (error) {
    if (error instanceof WordsError || error instanceof UnknownOutput) throw new UsageError(error.message);
    if (error instanceof NothingRecorded)
      throw new UsageError(
        `${error.message}: the store has not recorded the configuration that it serves; say with --old what is deployed now (a configuration or output)`,
      );
    if (!notReached.some((kind) => error instanceof kind)) throw error;
    terminal.fail(messageOf(error));
    return unreachable;
  }
}

async function heldBy(
  { store, url }: Pick<PlanOptions, "store" | "url">,
  environment: Surroundings["environment"],
): Promise<Held> {
  const place = placeOf({ store, url }, environment);
  if (place.kind === "server") return heldByServer(place.remote);
  requireStore("--store", place.location);
  return heldInStore(place.location, "--store", systemClock);
}

/** @throws UsageError */
function sampleIn(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(given))
    throw new UsageError(`--sample takes a number of documents, not ${given}`);
  return Number(given);
}

function isFaulty(folder: string, { diagnostics }: Analysis, terminal: Terminal): boolean {
  if (!hasErrors(diagnostics)) return false;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  reportDiagnostics(folder, errors, { ...terminal.errLook, line: terminal.err });
  terminal.fail(`${folder} has mistakes: nothing is planned before they are mended`);
  return true;
}

function print(made: Plan, format: PlanOptions["format"], terminal: Terminal): void {
  if (format === "json") terminal.out(renderPlanJson(made));
  else if (made.findings.length > 0) terminal.out(renderPlan(made, terminal.outLook.colored));
  terminal.err(renderPlanCount(made));
}
