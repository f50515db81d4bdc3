import { setTimeout as pause } from "node:timers/promises";
import { resealed, type SealedPlace } from "../auth/sealed.ts";
import { queueJob } from "../jobs/queue.ts";
import { type JobRecord, jobCollection, jobFields, readJob, writeJob } from "../jobs/records.ts";
import type { JobRealm, JobWork, Progress } from "../jobs/step.ts";
import type { Log, Mail, Mailer, RealmInstance } from "../realm/exchange.ts";
import { Outdated } from "../retry.ts";
import type { BackgroundJob, Every } from "./job.ts";
import { startLane } from "./jobs.ts";

/** A way by which mails leave. */
export interface Delivery {
  /** @throws Undelivered, or anything else, which is tried again */
  deliver(mail: Mail): Promise<void>;
  /** Gives up what is under way. */
  close(): void;
}

/** A mail that could not be delivered. */
export class Undelivered extends Error {
  /** What a log may say: neither address nor text, which a server's own words may repeat. */
  readonly facts: object;
  /** Trying again would change nothing. */
  readonly isFinal: boolean;

  constructor(facts: object, isFinal: boolean) {
    super("a mail could not be delivered");
    this.name = "Undelivered";
    this.facts = facts;
    this.isFinal = isFinal;
  }
}

interface Times {
  /** Milliseconds before each attempt but the first: it is given up after some hours. */
  readonly backoff: readonly number[];
  /** Milliseconds that an attempt may take: less than is left of a lease when it begins. */
  readonly attempt: number;
  /** Milliseconds that the shutdown waits for mails that are due. */
  readonly patience: number;
}

const minute = 60_000;
const usual: Times = {
  backoff: [5_000, 30_000, 2 * minute, 10 * minute, 30 * minute, 60 * minute, 120 * minute],
  attempt: 20_000,
  patience: 2_000,
};

/** Puts a realm's mails among its jobs. A mail holds addresses, tokens and links: it is sealed until it is sent, and gone then. */
export function mailer(realm: Pick<RealmInstance, "clock" | "newId" | "vault">): Mailer {
  return {
    async queue(transaction, mail) {
      const id = realm.newId();
      const sealed = realm.vault.seal(JSON.stringify(mail ?? null), contextOf(id));
      const state: Waiting = { failures: 0 };
      await queueJob(realm, transaction, { id, kind: "mail", target: "mail", state, sealed, by: "service" });
    },
  };
}

/** Where a mail waits until it is sent. */
export const sealedMails: SealedPlace = {
  kind: "mails",
  collection: jobCollection,
  key: jobFields.sealed_key,
  reseal(document, vault) {
    const { record, version } = readJob(document);
    const sealed = record.sealed && resealed(record.sealed, contextOf(record.id), vault);
    return sealed && writeJob({ ...record, sealed }, version + 1);
  },
};

const contextOf = (id: string) => `mail:${id}`;

/** The state of a mail's job. */
interface Waiting {
  /** Attempts that have failed. */
  readonly failures: number;
}

/** Sends the mails of realms: at once, those that the last process left, and whenever one is queued or due again. */
export function startMail(
  realms: readonly (JobRealm & Pick<RealmInstance, "vault">)[],
  delivery: Delivery,
  log: Log,
  repeat: Every,
  times: Partial<Times> = {},
): BackgroundJob {
  const { backoff, attempt, patience } = { ...usual, ...times };
  const giveUp = new AbortController();
  const vaults = new Map(realms.map(({ definition, vault }) => [definition.name, vault]));

  const work: JobWork = {
    async step({ definition }, job) {
      const { failures }: Waiting = JSON.parse(job.state);
      try {
        const mail = opened(vaults.get(definition.name), job);
        if (mail !== null) await within(attempt, delivery.deliver(mail), giveUp.signal);
      } catch (error) {
        // It is as it was for the next process.
        if (giveUp.signal.aborted) throw new Outdated();
        const next = failed(failures + 1, error);
        return async () => next;
      }
      return async () => ({ gone: true });
    },
    async failed(_, { id }, transaction) {
      await transaction.collection(jobCollection).remove(id);
    },
  };

  const lane = startLane(
    realms,
    { name: "mail", works: { mail: work } },
    log,
    repeat,
    () => giveUp.signal.aborted,
  );
  return {
    wake: () => lane.wake(),
    /** Sends what is due, for a moment. */
    async stop() {
      const late = setTimeout(() => {
        giveUp.abort();
        delivery.close();
      }, patience);
      lane.wake();
      await lane.stop();
      clearTimeout(late);
      giveUp.abort();
      delivery.close();
    },
  };

  function failed(failures: number, error: unknown): Progress {
    const wait = backoff[failures - 1];
    const isFinal = wait === undefined || (error instanceof Undelivered && error.isFinal);
    const fields = { attempts: failures, ...factsOf(error) };
    if (isFinal) {
      log.error(fields, "a mail could not be sent");
      return { gone: true };
    }
    log.warn(fields, "a mail could not be sent yet; it is tried again");
    // What comes later is found by the round of every minute.
    if (wait < minute) setTimeout(() => lane.wake(), wait).unref();
    const state: Waiting = { failures };
    return { state, pause: wait };
  }
}

/**
 * Null: it is sent to nobody.
 * @throws Undelivered
 */
function opened(vault: RealmInstance["vault"] | undefined, { id, sealed }: JobRecord): Mail | null {
  const text = sealed && vault?.open(sealed, contextOf(id));
  if (text === undefined) throw new Undelivered({ reason: "its key is missing in SVC_KEYS" }, false);
  return JSON.parse(text);
}

/** @throws Undelivered when it takes longer, or is given up */
async function within(milliseconds: number, work: Promise<void>, giveUp: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, giveUp]);
  const late = pause(milliseconds, undefined, { signal }).then(
    () => Promise.reject(new Undelivered({ code: "ETIMEDOUT" }, false)),
    () => Promise.reject(new Undelivered({ code: "ABORTED" }, false)),
  );
  try {
    await Promise.race([work, late]);
  } finally {
    over.abort();
    // Whichever comes last is of no interest.
    for (const rest of [work, late]) rest.catch(() => undefined);
  }
}

function factsOf(error: unknown): object {
  if (error instanceof Undelivered) return error.facts;
  return error instanceof Error && "code" in error ? { code: error.code } : {};
}
