import { passwords } from "../auth/credentials/passwords.ts";
import type { Clock } from "../clock.ts";
import { Budget } from "../feed/budget.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Log, RealmInstance } from "../realm/exchange.ts";
import type { Store } from "../store/contract/store.ts";
import { assembleRealm } from "./realm.ts";
import type { Settings } from "./settings.ts";

export interface LoneRealmOptions {
  readonly definition: RealmDefinition;
  /** Provisioned. */
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Of the configuration. */
  readonly fingerprint: string;
  /** Newest first. */
  readonly keys: readonly Uint8Array[];
  readonly settings: Pick<Settings, "pageCharacters" | "expandLimits" | "realtime">;
}

/** A realm that no server serves: nothing is done in its background, and what is queued in it waits. */
export class LoneRealm {
  readonly instance: RealmInstance;
  /** Aborted when it ends. */
  readonly ending: AbortSignal;
  readonly #ending = new AbortController();
  readonly #background = new Set<Promise<unknown>>();

  constructor({ settings, log, ...parts }: LoneRealmOptions) {
    const { pageCharacters, expandLimits, realtime } = settings;
    this.ending = this.#ending.signal;
    this.instance = assembleRealm({
      ...{ ...parts, log, passwords, pageCharacters, expandLimits },
      background: (work) => this.#hold(work, log),
      wakeJobs: () => undefined,
      dropJob: () => undefined,
      countIdConflict: () => undefined,
      realtime: {
        ...{ enabled: false, limits: realtime.limits, stopping: this.ending, metrics: undefined },
        shared: { buffers: new Budget(realtime.memory), most: 0, open: 0, subscriptions: 0 },
        repeat: () => () => undefined,
      },
    });
  }

  /** Resolves when nothing of it is under way. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.instance.hub.close();
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  #hold(work: Promise<unknown>, log: Log): void {
    const held = work
      .catch((err: unknown) => log.error({ err }, "background work failed"))
      .finally(() => this.#background.delete(held));
    this.#background.add(held);
  }
}
