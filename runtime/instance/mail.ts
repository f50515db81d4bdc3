import { setTimeout as pause } from "node:timers/promises";
import { resealed, type SealedPlace } from "../auth/sealed.ts";
import type { JobKind, JobRealm, Progress } from "../jobs/kind.ts";
import { queueJob } from "../jobs/queue.ts";
import { type JobRecord, jobCollection, jobFields, readJob, writeJob } from "../jobs/records.ts";
import type { Log, RealmInstance } from "../realm/exchange.ts";
import type { Mail, Mailer } from "../realm/mail.ts";
import { Outdated } from "../retry.ts";

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
  /** Milliseconds that an attempt may take. */
  readonly attempt: number;
}

const minute = 60_000;
const usual: Times = {
  backoff: [5_000, 30_000, 2 * minute, 10 * minute, 30 * minute, 60 * minute, 120 * minute],
  attempt: 20_000,
};

const kind = "mail";

/** Puts a realm's mails among its jobs. A mail holds addresses, tokens and links: it is sealed until it is sent, and gone then. */
export function mailer(realm: Pick<RealmInstance, "clock" | "newId" | "vault">): Mailer {
  return {
    async queue(transaction, mail) {
      const id = realm.newId();
      const sealed = realm.vault.seal(JSON.stringify(mail ?? null), contextOf(id));
      const state: Waiting = { failures: 0 };
      await queueJob(realm, transaction, { id, kind, target: "mail", state, sealed, by: "service" });
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

/**
 * Sends the mails of realms, what is due of them also while the instance stops.
 * @param times for tests
 */
export function mailing(
  realms: readonly (Pick<JobRealm, "definition"> & Pick<RealmInstance, "vault">)[],
  delivery: Pick<Delivery, "deliver">,
  log: Log,
  times: Partial<Times> = {},
): JobKind {
  const { backoff, attempt } = { ...usual, ...times };
  const vaults = new Map(realms.map(({ definition, vault }) => [definition.name, vault]));
  return {
    name: kind,
    limit: 4,
    kept: 0,
    drains: true,
    async step({ definition }, job, { signal }) {
      const { failures }: Waiting = JSON.parse(job.state);
      try {
        const mail = opened(vaults.get(definition.name), job);
        if (mail !== null) await within(attempt, delivery.deliver(mail), signal);
        return {};
      } catch (error) {
        // It is as it was for the next process.
        if (signal.aborted) throw new Outdated();
        return failed(failures + 1, error);
      }
    },
  };

  function failed(failures: number, error: unknown): Progress {
    const pause = backoff[failures - 1];
    const isFinal = pause === undefined || (error instanceof Undelivered && error.isFinal);
    const fields = { attempts: failures, ...factsOf(error) };
    if (isFinal) {
      log.error(fields, "a mail could not be sent");
      return {};
    }
    log.warn(fields, "a mail could not be sent yet; it is tried again");
    const state: Waiting = { failures };
    return { state, pause };
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
