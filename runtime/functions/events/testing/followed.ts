/** Functions with triggers, and what they were told. */
import { expect } from "vitest";
import { collections as systemCollections } from "../../../auth/collections.ts";
import { type AuditRecord, readAudit } from "../../../auth/records.ts";
import { collection, type ShopOptions } from "../../../documents/testing/shop.ts";
import { TRUE } from "../../../filter/algebra.ts";
import { isStanding, jobCollection, readJob } from "../../../jobs/records.ts";
import type { JsonObject } from "../../../json.ts";
import type { EventDefinition, TriggerDefinition } from "../../../realm/functions.ts";
import { allowed } from "../../../rules/index.ts";
import { until } from "../../../testing/until.ts";
import type { Result, Returned, Run } from "../../invocation.ts";
import { event, type FunctionShop, startFunctionShop } from "../../testing/shop.ts";

export const rules = {
  read: allowed,
  create: allowed,
  update: allowed,
  delete: allowed,
  restore: allowed,
  purge: allowed,
};
export const things = collection("things", { rules });
export const papers = collection("papers", { rules, softDelete: {} });
export const others = collection("others", { rules });
export const all = [things, papers, others];

export const on = (name: string, more: Partial<TriggerDefinition> = {}): TriggerDefinition => ({
  database: "main",
  collection: name,
  on: ["create", "update", "delete"],
  ...more,
});

export const follow = (...triggers: readonly TriggerDefinition[]): EventDefinition =>
  event("follow", { triggers });

export const stops: (() => Promise<unknown>)[] = [];

/** For `afterEach`. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

/** What a trigger's run is told, parsed. */
export interface Told {
  readonly event: string;
  readonly collection: string;
  readonly document: JsonObject;
  readonly previous: JsonObject | undefined;
  readonly at: string;
  readonly attempt: number;
}

export interface Followed extends FunctionShop {
  /** What the runs were told. */
  readonly told: readonly Told[];
  /** Once there were so many runs, and nothing more is queued. */
  runs(count: number): Promise<readonly Told[]>;
  audits(action: string): Promise<readonly AuditRecord[]>;
}

export const nothing: Returned = { kind: "nothing" };

/** Starts the realm `shop` with functions that follow its collections; it stops with {@link stopAll}. */
export async function start(
  functions: readonly EventDefinition[],
  handle: (told: Told, run: Run) => Promise<Returned | Result> | Returned | Result = () => nothing,
  auth: "enabled" | "disabled" = "disabled",
  options: Pick<ShopOptions, "settings" | "log"> = {},
): Promise<Followed> {
  const handles = functions.map(({ name }) => [name, (run: Run) => handle(toldOf(run), run)] as const);
  const shop = await startFunctionShop(functions, Object.fromEntries(handles), {
    auth,
    collections: all,
    ...options,
  });
  stops.push(() => shop.stop());
  const store = shop.store("shop");
  const { handlers } = shop;
  return {
    ...shop,
    get told() {
      return handlers.runs.map(toldOf);
    },
    async runs(count) {
      await until(async () => {
        expect(handlers.runs.length).toBeGreaterThanOrEqual(count);
        const jobs = await store.collection(jobCollection).scan(undefined, 10_000);
        const ending = jobs.map((document) => readJob(document).record).filter((job) => !isStanding(job));
        expect(ending.filter(({ due_at }) => due_at !== null)).toEqual([]);
      });
      expect(handlers.runs).toHaveLength(count);
      return handlers.runs.map(toldOf);
    },
    async audits(action) {
      const found = await store
        .collection(systemCollections.audit)
        .find({ filter: TRUE, visibility: "live", limit: 1_000, skip: 0 });
      return found.map((document) => readAudit(document).record).filter((record) => record.action === action);
    },
  };
}

export function toldOf({ input }: Run): Told {
  if (input.kind !== "trigger") throw new Error("not told of a change");
  const { event, collection, document, previous, at, attempt } = input;
  return {
    event,
    collection,
    document: JSON.parse(document),
    previous: previous === undefined ? undefined : JSON.parse(previous),
    at,
    attempt,
  };
}
