import { LiveAppConfig } from "../auth/app-config.ts";
import { authenticator } from "../auth/authenticate.ts";
import { systemCollections } from "../auth/collections.ts";
import type { Clock } from "../clock.ts";
import { fileLedger } from "../documents/files/ledger.ts";
import { fileCollections } from "../documents/files/records.ts";
import { documentCollections } from "../documents/shapes.ts";
import { Hub } from "../feed/hub.ts";
import { triggerCollections } from "../functions/events/following.ts";
import { invocationShape } from "../functions/invocations/records.ts";
import { idGenerator } from "../ids.ts";
import { laneShape } from "../jobs/lanes.ts";
import { jobShape } from "../jobs/records.ts";
import { organizationCollections } from "../organizations/collections.ts";
import { realmOrganizations } from "../organizations/realm.ts";
import type { ExpandLimits, RealmDefinition } from "../realm/definition.ts";
import type { Log, Passwords, RealmInstance } from "../realm/exchange.ts";
import type { RealtimeHost } from "../realm/realtime.ts";
import { vault } from "../sealing.ts";
import { signer } from "../signing.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";
import { mailer } from "./mail.ts";

/** Everything that a realm stores: its own collections and the service's. */
export function realmCollections(definition: RealmDefinition): CollectionShape[] {
  return [
    ...documentCollections(definition),
    ...systemCollections(definition),
    ...organizationCollections(definition),
    ...fileCollections(definition),
    jobShape,
    laneShape,
    ...triggerCollections(definition),
    ...(definition.functions === undefined ? [] : [invocationShape]),
  ];
}

export interface RealmParts {
  readonly definition: RealmDefinition;
  /** Provisioned. */
  readonly store: Store;
  readonly clock: Clock;
  /** Of the configuration. */
  readonly fingerprint: string;
  readonly passwords: Passwords;
  readonly log: Log;
  readonly pageCharacters: number;
  readonly expandLimits: ExpandLimits;
  /** Of the instance, newest first. */
  readonly keys: readonly Uint8Array[];
  readonly background: (work: Promise<unknown>) => void;
  readonly wakeJobs: (delay?: number) => void;
  readonly dropJob: (id: string) => void;
  readonly countIdConflict: (realm: string, database: string, collection: string) => void;
  /** Of the instance; the realm may lower its limits. */
  readonly realtime: RealtimeHost;
}

/** Puts a realm together from what runs it. */
export function assembleRealm(parts: RealmParts): RealmInstance {
  const {
    definition,
    store,
    clock,
    log,
    fingerprint,
    passwords,
    pageCharacters,
    expandLimits,
    keys,
    background,
    wakeJobs,
    dropJob,
    countIdConflict,
    realtime,
  } = parts;
  const appConfig = new LiveAppConfig({ definition, store, clock });
  const organizations = realmOrganizations({ definition, store, clock });
  const own = {
    clock,
    newId: idGenerator(clock),
    vault: vault(keys, `secrets of ${definition.name}`),
  };
  const realm: Omit<RealmInstance, "authenticate" | "administers" | "credentials"> = {
    ...own,
    definition,
    store,
    fingerprint,
    appConfig: () => appConfig.current(),
    appConfigReplaced: () => appConfig.replaced(),
    ...(organizations !== undefined && { organizations }),
    ...(definition.storage !== undefined && {
      files: { ledger: fileLedger(store, definition.storage, () => clock.now()) },
    }),
    passwords,
    mail: mailer(own),
    log,
    pageCharacters,
    expandLimits,
    cursors: signer(keys, `cursors of ${definition.name}`),
    streams: signer(keys, `streams of ${definition.name}`),
    hub: new Hub({
      feed: store.feed,
      budget: realtime.shared.buffers,
      warn: (err, message) => log.warn({ err }, message),
    }),
    realtime: { ...realtime, limits: { ...realtime.limits, ...definition.realtime } },
    background,
    wakeJobs,
    dropJob,
    countIdConflict: (database, collection) => countIdConflict(definition.name, database, collection),
  };
  return { ...realm, ...authenticator(realm) };
}
