import { LiveAppConfig } from "../auth/app-config.ts";
import { authenticator } from "../auth/authenticate.ts";
import { systemCollections } from "../auth/collections.ts";
import { fileLedger } from "../documents/files/ledger.ts";
import { fileCollections } from "../documents/files/records.ts";
import { importShape } from "../documents/importing/record.ts";
import { documentCollections } from "../documents/shapes.ts";
import { Hub } from "../feed/hub.ts";
import { triggerCollections } from "../functions/events/following.ts";
import { invocationShape } from "../functions/invocations/records.ts";
import { idGenerator } from "../ids.ts";
import { laneShape } from "../jobs/lanes.ts";
import { jobShape } from "../jobs/records.ts";
import { migrationShape } from "../migrations/records.ts";
import { organizationCollections } from "../organizations/collections.ts";
import { realmOrganizations } from "../organizations/realm.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { RealtimeHost } from "../realm/realtime.ts";
import { configurationShape } from "../realm/recorded.ts";
import { vault } from "../sealing.ts";
import { signer } from "../signing.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
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
    configurationShape,
    migrationShape,
    importShape,
    ...triggerCollections(definition),
    ...(definition.functions === undefined ? [] : [invocationShape]),
  ];
}

/** What an instance gives each realm as it is. */
type Given =
  | (
      | "definition"
      | "store"
      | "clock"
      | "fingerprint"
      | "explains"
      | "passwords"
      | "log"
      | "pageCharacters"
      | "expandLimits"
    )
  | ("background" | "wakeJobs" | "dropJob");

/** The store is provisioned. */
export interface RealmParts extends Pick<RealmInstance, Given> {
  /** Of the instance, newest first. */
  readonly keys: readonly Uint8Array[];
  readonly countIdConflict: (realm: string, database: string, collection: string) => void;
  /** Of the instance; the realm may lower its limits. */
  readonly realtime: RealtimeHost;
}

/** Puts a realm together from what runs it. */
export function assembleRealm({ keys, countIdConflict, realtime, ...given }: RealmParts): RealmInstance {
  const { definition, store, clock, log } = given;
  const organizations = realmOrganizations(given);
  const own = {
    clock,
    newId: idGenerator(clock),
    vault: vault(keys, secretsPurpose(definition.name)),
  };
  const realm: Omit<RealmInstance, "authenticate" | "administers" | "credentials"> = {
    ...given,
    ...own,
    appConfig: new LiveAppConfig(given),
    ...(organizations !== undefined && { organizations }),
    ...(definition.storage !== undefined && {
      files: {
        ledger: fileLedger(store, definition.storage, () => clock.now()),
        links: signer(keys, `file links of ${definition.name}`),
      },
    }),
    mail: mailer(own),
    cursors: signer(keys, `cursors of ${definition.name}`),
    streams: signer(keys, `streams of ${definition.name}`),
    hub: new Hub({
      feed: store.feed,
      budget: realtime.shared.buffers,
      warn: (err, message) => log.warn({ err }, message),
    }),
    realtime: { ...realtime, limits: { ...realtime.limits, ...definition.realtime } },
    countIdConflict: (database, collection) => countIdConflict(definition.name, database, collection),
  };
  return { ...realm, ...authenticator(realm) };
}

/** What the secrets of a realm are sealed for. */
export function secretsPurpose(realm: string): string {
  return `secrets of ${realm}`;
}
