import { actorNamed, appendAudit, withoutRequest } from "../../../auth/administration/audit.ts";
import { collections, keyFields } from "../../../auth/collections.ts";
import { commandLine } from "../../../auth/command-keys.ts";
import { type Clock, timestamp } from "../../../clock.ts";
import { Rejected, readIncoming } from "../../../documents/importing/rejected.ts";
import type { Drafted, Mode, Taker, Writable } from "../../../documents/importing/taker.ts";
import type { Detail } from "../../../errors.ts";
import { type Filter, isIn } from "../../../filter/algebra.ts";
import { documentFields } from "../../../filter/fields.ts";
import { idGenerator } from "../../../ids.ts";
import type { JsonObject } from "../../../json.ts";
import { mergePatch } from "../../../merge-patch.ts";
import { collections as ofOrganizations } from "../../../organizations/collections.ts";
import { readOrganization } from "../../../organizations/records.ts";
import type { StoredDocument } from "../../../store/contract/document.ts";
import { UniqueViolation } from "../../../store/contract/errors.ts";
import type { Store } from "../../../store/contract/store.ts";
import { includable } from "../include.ts";
import { Fields } from "./fields.ts";
import type { Made, Names } from "./kind.ts";
import type { RealmRecords } from "./kinds.ts";

interface RecordDraft extends Drafted {
  readonly members: JsonObject;
  readonly problems: readonly Detail[];
}

interface PreparedRecord extends Writable, Made {}

export interface RecordTaking {
  readonly store: Store;
  /** Its name. */
  readonly realm: string;
  readonly mode: Mode;
  readonly clock: Clock;
}

/** Problems that a rejection names. */
const NAMED = 20;

/** Everything, also what belongs to something else. */
const everything = new Set(includable);

/** Takes records of the service. What is written of them is told in the audit trail, a batch in one record. */
export function recordTaker(
  { kind, form }: RealmRecords,
  { store, realm, mode, clock }: RecordTaking,
): Taker<RecordDraft, PreparedRecord> {
  const newId = idGenerator(clock);
  return {
    name: kind.collection,
    taken: kind.taken,
    draft(incoming) {
      const { value, problems } = readIncoming(incoming);
      const said = form.idIn(value) ?? (form.isGenerated ? newId() : undefined);
      if (typeof said !== "string") throw new Rejected(undefined, "id is required, a text");
      if (!form.fits(said)) throw new Rejected(said, "id does not have the form that the service gives it");
      return { line: incoming.line, id: said, members: value, problems };
    },
    prepared({ line, id, members, problems }, found) {
      const before = found && form.shown(found, everything);
      const merged = mode === "merge" && before !== undefined ? mergePatch(before, members) : members;
      const { id: _, ...others } = merged;
      const fields = new Fields(others);
      const made = form.made(fields, id, timestamp(clock.now()), found);
      fields.end();
      const all = [...problems.filter(({ path }) => path !== "id"), ...fields.problems];
      if (all.length > 0) throw Rejected.of(id, all.slice(0, NAMED));
      return { line, ...made, ...(found !== undefined && { expected: found.version }) };
    },
    missing: (prepared) => missingAmong(store, prepared),
    reason: (error) =>
      (error instanceof UniqueViolation ? kind.clashes[error.index] : undefined) ?? error.message,
    async along(transaction, prepared) {
      if (prepared.length === 0) return;
      const replaced = prepared.filter(({ expected }) => expected !== undefined).length;
      await appendAudit({ clock, newId }, transaction, withoutRequest, actorNamed(commandLine), {
        action: kind.action,
        target: `realm:${realm}`,
        details: { created: prepared.length - replaced, replaced },
      });
    },
  };
}

/** Of records that name what is not there, why they are rejected, by their lines. */
async function missingAmong(
  store: Store,
  prepared: readonly PreparedRecord[],
): Promise<ReadonlyMap<number, Rejected>> {
  const said = (name: keyof Names) => [...new Set(prepared.flatMap(({ names }) => names?.[name] ?? []))];
  const [users, keys, orgs] = await Promise.all([
    found(store, collections.users, said("user"), (ids) => isIn(documentFields.id, ids)),
    found(store, collections.keys, said("key"), (ids) => isIn(keyFields.key, ids)),
    found(store, ofOrganizations.organizations, said("org"), (ids) => isIn(documentFields.id, ids)),
  ]);
  const userIds = new Set(users.map(({ id }) => id));
  const keyIds = new Set(keys.map(({ text }) => String(JSON.parse(text).key)));
  const live = orgs.filter((org) => readOrganization(org).record.status !== "deleted");
  const orgIds = new Set(live.map(({ id }) => id));
  const refused = new Map<number, Rejected>();
  for (const { line, document, names } of prepared) {
    const { user, key, org } = names ?? {};
    const reasons = [
      ...(user === undefined || userIds.has(user) ? [] : [`there is no user ${user}`]),
      ...(key === undefined || keyIds.has(key) ? [] : [`there is no key ${key}`]),
      ...(org === undefined || orgIds.has(org) ? [] : [`there is no organization ${org}`]),
    ];
    if (reasons.length > 0) refused.set(line, new Rejected(document.id, reasons.join("; ")));
  }
  return refused;
}

async function found(
  store: Store,
  collection: string,
  ids: readonly string[],
  filter: (ids: readonly string[]) => Filter,
): Promise<readonly StoredDocument[]> {
  if (ids.length === 0) return [];
  const query = { filter: filter(ids), visibility: "live", limit: ids.length, skip: 0 } as const;
  return store.collection(collection).find(query);
}
