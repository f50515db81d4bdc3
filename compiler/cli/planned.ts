import { systemClock } from "../../runtime/clock.ts";
import { UsageError as WordsError } from "../../runtime/instance/command.ts";
import { requireFolder as requireStore } from "../../runtime/instance/command-words.ts";
import { messageOf } from "../../runtime/instance/message-of.ts";
import { type Place, placeOf } from "../../runtime/instance/transfer/places.ts";
import { ServerAnswered, ServerRefused, ServerUnreachable } from "../../runtime/instance/transfer/remote.ts";
import { StoreRefused, StoreUnavailable } from "../../runtime/store/contract/errors.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import { analysed, UnknownOutput } from "../diff/sides.ts";
import { type Analysis, analyse } from "../pipeline.ts";
import type { Plan } from "../plan/finding.ts";
import { type Held, heldByServer, heldInStore } from "../plan/held.ts";
import { planFor } from "../plan/plan.ts";
import { NothingRecorded } from "../plan/realm-sides.ts";
import type { Rehearsal } from "../plan/rehearsal.ts";
import { renderPlan, renderPlanCount, renderPlanJson } from "../plan/render.ts";
import { renderRehearsal } from "../plan/render-rehearsal.ts";
import { CommandFailed } from "./bundle-command.ts";
import { exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { rehearse } from "./rehearse.ts";
import { reportDiagnostics } from "./report.ts";
import { Interrupted } from "./scratch.ts";
import type { Surroundings, Terminal } from "./terminal.ts";

export interface PlanOptions {
  readonly store?: string;
  /** Of a server; the key is in `REALMC_KEY`. */
  readonly url?: string;
  readonly realm?: string;
  readonly check?: true;
  readonly sample?: string;
  readonly old?: string;
  readonly rehearse?: true;
  /** The folder that the copy for a rehearsal is made in. */
  readonly scratch?: string;
  /** `SVC_DATA` of the server, whose files a rehearsal copies. */
  readonly data?: string;
  readonly format: "text" | "json";
}

/** Of commands that reach a store or a server. */
const unreachable = 3;
const notReached = [StoreUnavailable, StoreRefused, ServerUnreachable, ServerRefused, ServerAnswered];

/**
 * `realmc plan`: findings on stdout, progress on stderr; 0, with `--check` 1 for anything but what is safe, 1 where the
 * configuration has mistakes or a rehearsal finds something else than the plan, 3 where the store or server cannot be reached.
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
    const place = placeOf({ store: options.store, url: options.url }, environment);
    const rehearsed = rehearsedFolder(options, place);
    const held = rehearsed === undefined ? await heldBy(place) : undefined;
    try {
      const analysis = await analyse(config, { step: terminal.step });
      const before = options.old === undefined ? undefined : await analysed(options.old, terminal.step);
      if (
        isFaulty(config, analysis, terminal) ||
        (before !== undefined && isFaulty(options.old ?? "", before, terminal))
      )
        return exit.diagnostics;
      const planOn = (on: Held, cache: Surroundings["environment"] = environment) =>
        planFor({
          ...{ held: on, sample, environment: cache, clock: systemClock },
          now: analysis.realms,
          old: before?.realms,
          only: options.realm,
          tell: terminal.err,
        });
      const { made, rehearsal }: { made: Plan; rehearsal?: Rehearsal } =
        held === undefined
          ? await rehearse({
              ...{ folder: rehearsed ?? "", realms: analysis.realms, only: options.realm, terminal },
              ...{ data: options.data, scratch: options.scratch },
              plan: (on, cache) => planOn(on, { ...environment, XDG_CACHE_HOME: cache }),
            })
          : { made: await planned(held, planOn, terminal) };
      print(made, rehearsal, options.format, terminal);
      const isSafe = made.findings.every(({ severity }) => severity === "safe");
      const isAgreed = rehearsal === undefined || rehearsal.differences.length === 0;
      return (options.check && !isSafe) || !isAgreed ? exit.diagnostics : exit.ok;
    } finally {
      await held?.close();
    }
  } catch (error) {
    if (error instanceof CommandFailed || error instanceof Interrupted) {
      if (error instanceof Interrupted) terminal.err(error.message);
      return error.code;
    }
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

function planned(held: Held, planOn: (held: Held) => Promise<Plan>, terminal: Terminal): Promise<Plan> {
  terminal.step(`reading ${held.name}`);
  return planOn(held);
}

async function heldBy(place: Place): Promise<Held> {
  if (place.kind === "server") return heldByServer(place.remote);
  requireStore("--store", place.location);
  return heldInStore(place.location, "--store", systemClock);
}

/**
 * The folder of the store on whose copy is rehearsed; undefined where nothing is.
 * @throws UsageError
 */
function rehearsedFolder(
  { rehearse: isAsked, scratch, data, sample }: PlanOptions,
  place: Place,
): string | undefined {
  if (isAsked === undefined) {
    const [option] =
      Object.entries({ "--scratch": scratch, "--data": data }).find(([, value]) => value) ?? [];
    if (option !== undefined) throw new UsageError(`${option} is for --rehearse`);
    return undefined;
  }
  if (sample !== undefined)
    throw new UsageError(
      "--rehearse migrates every document, and a sample does not compare with that: leave out --sample",
    );
  if (place.kind === "server")
    throw new UsageError(
      "--rehearse works on a copy of the store, which no server hands out: give --store sqlite:<folder> on its machine, beside the running server",
    );
  if (place.location.engine === "mongodb")
    throw new UsageError(
      "--rehearse copies an embedded store, and MongoDB's own tools copy its: restore a backup into another deployment, and run realmc plan and realmc migrate with --store there",
    );
  requireStore("--store", place.location);
  if (data !== undefined) requireFolder(data);
  return place.location.folder;
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

function print(
  made: Plan,
  rehearsal: Rehearsal | undefined,
  format: PlanOptions["format"],
  terminal: Terminal,
): void {
  if (format === "json") terminal.out(renderPlanJson(made, rehearsal));
  else {
    if (made.findings.length > 0) terminal.out(renderPlan(made, terminal.outLook.colored));
    if (rehearsal !== undefined) terminal.out(renderRehearsal(rehearsal));
  }
  terminal.err(renderPlanCount(made));
}
