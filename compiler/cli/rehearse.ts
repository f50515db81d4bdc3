/** `realmc plan --rehearse`: plans, migrates and verifies a copy of the store, with the bundle as it would be deployed. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../runtime/clock.ts";
import type { BackedUpRealm } from "../../runtime/instance/backup/backup.ts";
import type { MigrateResult } from "../../runtime/instance/migrate-results.ts";
import type { Verified } from "../../runtime/instance/verify/verify.ts";
import { NAMED } from "../../runtime/migrations/tally.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { Plan } from "../plan/finding.ts";
import { type Held, heldInStore } from "../plan/held.ts";
import {
  differencesOf,
  type Rehearsal,
  type RehearsalVerified,
  type Rehearsed,
  type RehearsedRealm,
} from "../plan/rehearsal.ts";
import { type BundleCommand, bundleResults, CommandFailed } from "./bundle-command.ts";
import { bundleInto } from "./passing-bundle.ts";
import { bytesToCopy, inScratch, scratchPlace } from "./scratch.ts";
import type { Terminal } from "./terminal.ts";

export interface RehearsalRequest {
  /** Of the embedded store. */
  readonly folder: string;
  readonly realms: readonly AnalysedRealm[];
  /** The one realm to look at. */
  readonly only: string | undefined;
  /** `SVC_DATA` of its server; default: the folder of the store. */
  readonly data: string | undefined;
  readonly scratch: string | undefined;
  readonly terminal: Terminal;
  /** Says what the configuration means for a copy. @param cache where what was counted is kept */
  readonly plan: (held: Held, cache: string) => Promise<Plan>;
}

/**
 * Rehearses on a copy of one moment, so that what the plan counts there and what the migrations meet are the same documents,
 * whoever writes to the store meanwhile. The copy is gone afterwards.
 * @throws UsageError | CommandFailed | Interrupted
 */
export async function rehearse(request: RehearsalRequest): Promise<{
  readonly made: Plan;
  readonly rehearsal: Rehearsal;
}> {
  const { folder, realms, only, data = folder, scratch, terminal } = request;
  const bytes = await bytesToCopy({ folder, data: resolve(data), realm: only });
  return inScratch(scratchPlace(scratch, folder, bytes), async (own, signal) => {
    const begun = performance.now();
    const bundle: BundleCommand = { folder: join(own, "bundle"), signal, err: terminal.err };
    const copy = join(own, "store");
    const realm = only === undefined ? [] : [`--realm=${only}`];
    terminal.step("building the bundle that is rehearsed");
    await bundleInto(bundle.folder, realms);
    terminal.step(`backing up into ${copy}`);
    const from = [`--store=sqlite:${folder}`, `--data=${resolve(data)}`, `--to=${copy}`];
    const backup: { readonly realms: readonly BackedUpRealm[] } = JSON.parse(
      await bundleResults(bundle, ["backup", ...from, ...realm, "--no-verify"]),
    );
    const made = await planned(request, copy, join(own, "cache"), signal);
    const migrated: RehearsedRealm[] = [];
    for (const { realm: name, database } of backup.realms) {
      if (!realms.some((each) => each.realm.name === name)) continue;
      terminal.step(`migrating the copy of ${name}`);
      migrated.push(await migratedRealm(bundle, copy, name, database.bytes));
    }
    terminal.step("verifying the copy");
    const verify = await verified(bundle, [`sqlite:${copy}`, ...realm]);
    const rehearsed: Rehearsed = { seconds: secondsSince(begun), realms: migrated, verify };
    return { made, rehearsal: { ...rehearsed, differences: differencesOf(made, rehearsed) } };
  });
}

async function planned(
  { plan, terminal }: RehearsalRequest,
  copy: string,
  cache: string,
  signal: AbortSignal,
): Promise<Plan> {
  const held = await heldInStore({ engine: "sqlite", folder: copy }, "--store", systemClock);
  try {
    terminal.step("planning for the copy");
    return await plan(
      { ...held, documents: (...from) => untilAborted(held.documents(...from), signal) },
      cache,
    );
  } finally {
    await held.close();
  }
}

async function* untilAborted<T>(all: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const each of all) {
    signal.throwIfAborted();
    yield each;
  }
}

async function migratedRealm(
  bundle: BundleCommand,
  copy: string,
  realm: string,
  before: number,
): Promise<RehearsedRealm> {
  const begun = performance.now();
  const ended = (collections: RehearsedRealm["collections"], stopped?: string): RehearsedRealm => ({
    ...{ realm, seconds: secondsSince(begun) },
    bytes: { before, after: statSync(join(copy, `${realm}.sqlite`)).size },
    collections,
    ...(stopped !== undefined && { stopped }),
  });
  try {
    const told: { readonly collections: readonly MigrateResult[] } = JSON.parse(
      await bundleResults(bundle, ["migrate", `--store=sqlite:${copy}`, `--realm=${realm}`]),
    );
    return ended(
      told.collections.map(({ collection, migrations, written = 0, refused, reasons, failed }) => ({
        ...{ collection, migrations, written, refused, reasons, failed },
      })),
    );
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return ended([], error.message);
  }
}

async function verified(bundle: BundleCommand, words: readonly string[]): Promise<RehearsalVerified> {
  const begun = performance.now();
  const told: Pick<RehearsalVerified, "count" | "misfits" | "findings"> & {
    readonly realms: readonly Verified[];
  } = JSON.parse(await bundleResults(bundle, ["verify", ...words]));
  const { count, misfits, findings, realms } = told;
  return { seconds: secondsSince(begun), count, misfits, findings: findings.slice(0, NAMED), realms };
}

/** To a tenth. */
function secondsSince(begun: number): number {
  return Math.round((performance.now() - begun) / 100) / 10;
}
