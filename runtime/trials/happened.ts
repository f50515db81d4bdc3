/** What event functions run for: changes as triggers are told of them, and times of schedules. */
import { deliveryOf } from "../feed/queue.ts";
import { TRUE } from "../filter/algebra.ts";
import { type EventState, eventKindOf, inputOf } from "../functions/events/event-jobs.ts";
import { queueRuns } from "../functions/events/following.ts";
import { Triggers } from "../functions/events/triggers.ts";
import type { ScheduleInput, TriggerInput } from "../functions/invocation.ts";
import { type JobRecord, jobCollection, readJob } from "../jobs/records.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Chain, EventDefinition } from "../realm/functions.ts";
import type { Store } from "../store/contract/store.ts";

/** An event that a function is to run for. */
export interface HappenedEvent {
  /** Id of its job. */
  readonly job: string;
  readonly input: TriggerInput | ScheduleInput;
  readonly chain?: Chain | undefined;
}

/** Jobs of a test realm, oldest first. */
export async function jobsOf(store: Store): Promise<readonly JobRecord[]> {
  const found = await store
    .collection(jobCollection)
    .find({ filter: TRUE, visibility: "live", limit: 10_000, skip: 0 });
  return found.map((document) => readJob(document).record).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Follows the realm's changes as its server does, when it is asked to. */
export class Happened {
  readonly #realm: RealmInstance;
  readonly #triggers: Triggers;
  #position: string;

  /** @param position of the feed, from which on it follows */
  constructor(realm: RealmInstance, position: string) {
    this.#realm = realm;
    this.#triggers = new Triggers(realm.definition);
    this.#position = position;
  }

  /** What the function is to be told of by now, in its order. */
  async eventsOf(definition: EventDefinition, attempt: number): Promise<readonly HappenedEvent[]> {
    await this.#follow();
    const kind = eventKindOf(definition);
    const jobs = await jobsOf(this.#realm.store);
    return jobs
      .filter((job) => job.kind === kind)
      .map(({ id, state: text }) => {
        const state: EventState = JSON.parse(text);
        const chain = state.kind === "trigger" ? state.chain : undefined;
        return { job: id, input: inputOf(state, attempt), chain };
      });
  }

  /** It is told of it, and not again. */
  async told({ job }: HappenedEvent): Promise<void> {
    await this.#realm.store.transaction(async (transaction) => {
      const jobs = transaction.collection(jobCollection);
      const found = await jobs.get(job, "live");
      if (found !== undefined) await jobs.removeAll([found]);
    });
  }

  /** Queues the runs of all event functions for what is committed. */
  async #follow(): Promise<void> {
    const { hub, store } = this.#realm;
    for (;;) {
      const { items, position } = await hub.history.after(this.#position);
      const deliveries = items.flatMap((change) => deliveryOf(this.#triggers.interests, change) ?? []);
      const commit = (write: Parameters<Store["transaction"]>[0]) =>
        store.transaction(write).then(() => undefined);
      await queueRuns(this.#realm, this.#triggers, { deliveries, to: position, commit });
      this.#position = position;
      if (items.length === 0) return;
    }
  }
}
