import { type Administrator, admission } from "../../auth/administration/administrator.ts";
import { auditRecord } from "../../auth/administration/audit.ts";
import { collections } from "../../auth/collections.ts";
import { writeAudit } from "../../auth/records.ts";
import { type ApiError, invalidBody } from "../../errors.ts";
import { isId } from "../../ids.ts";
import { findOrganization } from "../../organizations/change.ts";
import { keyOf } from "../../realm/caller.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { Access, Audit, Write } from "../access.ts";
import type { Identify, Open } from "../entrance.ts";

/**
 * The way of administrators of the area `data`, past the access rules (spec: Administrator routes). The scopes of a key
 * limit it here too; what is made belongs to nobody, and to whichever organization they name; every write leaves an audit
 * record.
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
    further: (access) => access,
    writer: comingTo("change"),
    place: (_, named) =>
      named.org === undefined
        ? { ...named, teams: undefined }
        : teamsOf(realm, named.org).then((teams) => ({ ...named, teams })),
  };
};

/** For the member `org` of a body. */
export function noSuchOrganization(): ApiError {
  return invalidBody([{ path: "org", reason: "must be an organization that is not deleted" }]);
}

/** For those who create in any organization: its teams, where it is not deleted; undefined where there is none of this id. */
export async function teamsOf(
  realm: RealmInstance,
  id: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (id === undefined || !isId(id) || realm.organizations === undefined) return undefined;
  const { record } = (await findOrganization(realm, id)) ?? {};
  if (record === undefined || record.status === "deleted") return undefined;
  return new Set(record.teams.map((team) => team.id));
}

function accessOf(realm: RealmInstance, exchange: Exchange, { caller }: Administrator): Access {
  return {
    caller,
    context: undefined,
    scopes: keyOf(caller)?.scopes,
    withheld: undefined,
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
function entryOf({ action, collection: { database, name }, id, version, details }: Write) {
  return {
    action: `data.${action}`,
    target: `document:${database}/${name}/${id}`,
    details: { ...(version !== undefined && { version }), ...details },
  } as const;
}
