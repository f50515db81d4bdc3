import { type AuditEntry, actorNamed, appendAudit, withoutRequest } from "../../auth/administration/audit.ts";
import { timestamp } from "../../clock.ts";
import { Consumer, type Work } from "../../feed/consumer.ts";
import { ConsumerPosition, consumerShape } from "../../feed/consumer-position.ts";
import { emptyLanes } from "../../jobs/lanes.ts";
import { type NewJob, queueJobs } from "../../jobs/queue.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type Chain, functionName } from "../../realm/functions.ts";
import { ruleContext } from "../../rules/context.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { chainOf, chainShape, deepest, markOf, marksOf, nextDepth } from "./chains.ts";
import { eventJob, type TriggerState } from "./event-jobs.ts";
import { type Happening, happeningOf } from "./happenings.ts";
import { type Triggered, Triggers } from "./triggers.ts";

/** As the store knows who follows. */
const consumer = "triggers";

/** Happenings whose runs are queued in one transaction, and bytes of their documents, about. */
const together = 100;
const bytesTogether = 4 * 2 ** 20;

/** Bytes of documents that a job holds, which is a document itself: first the one before is left out, then all but the id. */
const mostBytes = 12 * 2 ** 20;

/** What the store of a realm with triggers holds for them. */
export function triggerCollections(definition: RealmDefinition): readonly CollectionShape[] {
  return new Triggers(definition).collections.size === 0 ? [] : [consumerShape, chainShape];
}

/** Has the realm's triggers told of whatever is committed from now on, if they are not already. */
export async function beginTriggers({
  definition,
  store,
  clock,
}: Pick<RealmInstance, "definition" | "store" | "clock">): Promise<void> {
  if (triggerCollections(definition).length > 0) await new ConsumerPosition(store, clock, consumer).load();
}

/**
 * Queues a run of each function that a trigger of the realm has run for what is committed, in the order of commits: in one
 * instance at a time, and as often as it is committed that it has been done, which is once.
 * @param lost called where history does not reach back to where that stood
 * @returns undefined where the realm has no triggers
 */
export function followTriggers(
  realm: RealmInstance,
  lost: () => void,
  pause?: (failures: number, signal: AbortSignal) => Promise<unknown>,
): Consumer | undefined {
  const { definition, store, clock, log, hub } = realm;
  const triggers = new Triggers(definition);
  if (triggers.collections.size === 0) return undefined;
  return new Consumer({
    store,
    history: hub.history,
    clock,
    name: consumer,
    interests: triggers.interests,
    work: (work) => (work.kind === "gap" ? noteGap(realm, work, lost) : queueRuns(realm, triggers, work)),
    warn: (err, message) => log.warn({ err, realm: definition.name }, message),
    ...(pause !== undefined && { pause }),
  });
}

/** What happened in between nobody is told any more. */
async function noteGap(realm: RealmInstance, work: Work, lost: () => void): Promise<void> {
  const { definition, log } = realm;
  await work.commit((transaction) =>
    audit(realm, transaction, { action: "function.events_lost", target: "realm" }),
  );
  lost();
  log.error(
    { realm: definition.name },
    "the history of changes does not reach back to where triggers stood: what happened in between is lost to them",
  );
}

/** Queues the runs of what happened. */
export async function queueRuns(
  realm: RealmInstance,
  triggers: Triggers,
  work: Pick<Extract<Work, { kind: "changes" }>, "deliveries" | "to" | "commit">,
): Promise<void> {
  const config = await realm.appConfig.forRules();
  const all = work.deliveries.flatMap((delivery) => happeningOf(delivery) ?? []);
  for (let at = 0; at < all.length; ) {
    const some = firstOf(all, at);
    at += some.length;
    const context = ruleContext(realm.clock, config, undefined);
    const wanted = some.flatMap((happening) =>
      triggers.of(happening, context).map((triggered) => ({ happening, triggered })),
    );
    const removed = some.filter(({ written }) => written === undefined);
    const marks = await marksOf(realm.store, removed);
    const told = removed.flatMap((happening) => markOf(marks, happening) ?? []);
    const position = at < all.length ? some.at(-1)?.position : work.to;
    if (wanted.length === 0 && told.length === 0) continue;
    const runs = wanted.map(({ happening, triggered }) => {
      const { written } = happening;
      const chain = written === undefined ? markOf(marks, happening)?.record : chainOf(written);
      return runOf(realm, happening, triggered, chain);
    });
    const jobs = runs.flatMap((run) => ("stopped" in run ? [] : [run]));
    const stopped = runs.flatMap((run) => ("stopped" in run ? [run.stopped] : []));
    const empty = await emptyLanes(
      realm.store,
      jobs.flatMap(({ lane }) => lane ?? []),
    );
    await work.commit(async (transaction) => {
      await queueJobs(realm, transaction, jobs, empty);
      for (const entry of stopped) await audit(realm, transaction, entry);
      await transaction
        .collection(chainShape.name)
        .removeAll(told.map(({ record: { id }, version }) => ({ id, version })));
    }, position);
    realm.wakeJobs();
  }
}

function firstOf(all: readonly Happening[], from: number): readonly Happening[] {
  let to = from;
  let bytes = 0;
  while (to < all.length && to - from < together && bytes < bytesTogether) {
    const { after = 0, before = 0 } = all[to]?.size ?? {};
    bytes += after + before;
    to += 1;
  }
  return all.slice(from, to);
}

/** The job, or what the audit trail says of a run that would be too deep. */
function runOf(
  realm: RealmInstance,
  happening: Happening,
  { definition, ordered }: Triggered,
  before: Chain | undefined,
): NewJob | { readonly stopped: AuditEntry } {
  const { storeName, id } = happening;
  const depth = nextDepth(before);
  if (depth > deepest) {
    const details = { document: `${storeName.replace(".", "/")}/${id}`, root: before?.root ?? "" };
    const target = `function:${functionName(definition)}`;
    return { stopped: { action: "function.chain_stopped", target, details } };
  }
  const job = realm.newId();
  const state = stateOf(happening, { root: before?.root ?? job, depth });
  const lane = `${functionName(definition)}:${storeName}/${id}`;
  return { ...eventJob(definition, state), id: job, ...(ordered && { lane }) };
}

function stateOf(happening: Happening, chain: Chain): TriggerState {
  const { event, storeName, id, document, previous, at, size } = happening;
  const bytes = event === "delete" ? size.before : size.after;
  const isWhole = bytes <= mostBytes;
  const isKept = previous !== undefined && previous !== "unknown" && size.before + size.after <= mostBytes;
  return {
    kind: "trigger",
    event,
    collection: storeName.replace(".", "/"),
    document: isWhole ? document : { id },
    // Of a delete the two are the same.
    ...(event === "update" && isKept && { previous }),
    ...(event === "delete" && (!isWhole || previous === "unknown") && { isKnown: false }),
    at: timestamp(at),
    chain,
  };
}

function audit(realm: RealmInstance, transaction: Transaction, entry: AuditEntry): Promise<void> {
  return appendAudit(realm, transaction, withoutRequest, actorNamed("service"), entry);
}
