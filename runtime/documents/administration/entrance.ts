import { type Administrator, admission } from "../../auth/administration/administrator.ts";
import { auditRecord } from "../../auth/administration/audit.ts";
import { collections } from "../../auth/collections.ts";
import { writeAudit } from "../../auth/records.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { Access, Audit, Write } from "../access.ts";
import type { Identify, Open } from "../entrance.ts";

/**
 * The way of administrators of the area `data`, past the access rules (spec: Administrator routes). The scopes of a key
 * limit it here too; what is made belongs to nobody; every write leaves an audit record.
 */
export const administratorEntrance: Open = (realm) => {
  const admit = admission(realm);
  const comingTo =
    (to: "see" | "change"): Identify =>
    async (exchange) =>
      accessOf(realm, exchange, admit(await realm.authenticate(exchange), exchange, { area: "data", to }));
  return {
    class: "private",
    name: "_admin/data/",
    reader: comingTo("see"),
    writer: comingTo("change"),
  };
};

function accessOf(realm: RealmInstance, exchange: Exchange, { caller }: Administrator): Access {
  return {
    caller,
    context: undefined,
    scopes: caller.kind === "key" ? caller.scopes : undefined,
    author: realm.definition.accounts === undefined ? undefined : { actor: caller.actor, owner: null },
    audit: auditBy(realm, exchange, caller),
  };
}

function auditBy(realm: RealmInstance, exchange: Exchange, by: Administrator["caller"]): Audit {
  const recordOf = (write: Write) => writeAudit(auditRecord(realm, exchange, by, entryOf(write)));
  return (transaction, writes) =>
    transaction.collection(collections.audit).insertAll(writes.map((write) => recordOf(write)));
}

/** That it was done, never what was written. */
function entryOf({ action, collection: { database, name }, id, version }: Write) {
  return {
    action: `data.${action}`,
    target: `document:${database}/${name}/${id}`,
    details: version === undefined ? {} : { version },
  } as const;
}
