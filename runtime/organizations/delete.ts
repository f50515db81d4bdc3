import { appendAudit } from "../auth/administration/audit.ts";
import { keyFields } from "../auth/collections.ts";
import { ending } from "../auth/key-changes.ts";
import type { Read } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import * as contract from "../contract/organizations.ts";
import { eq } from "../filter/algebra.ts";
import { queueJob } from "../jobs/queue.ts";
import type { Caller } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { Decision } from "./change.ts";
import { collections, invitationFields, memberFields } from "./collections.ts";
import { belonging, erasingOf } from "./erasing.ts";
import type { OrganizationRecord } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm } from "./route.ts";

export const deleteOwnOrganization = memberRoute(
  contract.deleteOrganization,
  (realm) =>
    async ({ exchange }, standing) => {
      await changeAs(realm, standing, ({ org }) => deletion(realm, exchange, standing.caller, org));
      realm.wakeJobs();
    },
);

/**
 * Deletes an organization (spec: States, Organization): its slug is free, its members, invitations and keys are gone, and
 * a job applies `on_org_delete` to its documents, which the caller wakes. Of very many members and invitations the job
 * removes what is left: they are worth nothing without it.
 */
export async function deletion(
  realm: OrganizationRealm,
  exchange: Exchange,
  by: Caller,
  { record }: Read<OrganizationRecord>,
): Promise<Decision<OrganizationRecord>> {
  const { id } = record;
  const job = realm.newId();
  const { found: members } = await belonging(realm, collections.members, memberFields.org, id, "live");
  const { found: invitations } = await belonging(
    realm,
    collections.invitations,
    invitationFields.org,
    id,
    "live",
  );
  const keys = await ending(realm.store, eq(keyFields.org, id));
  const deleted: OrganizationRecord = {
    ...record,
    slug_key: null,
    status: "deleted",
    teams: [],
    deleted_at: timestamp(realm.clock.now()),
    cleanup: { job },
  };
  return {
    org: deleted,
    result: deleted,
    along: async (transaction) => {
      await transaction.collection(collections.members).removeAll(members);
      await transaction.collection(collections.invitations).removeAll(invitations);
      await keys.write(transaction);
      await queueJob(realm, transaction, { ...erasingOf(id, by.actor), id: job });
      await appendAudit(realm, transaction, exchange, by, {
        action: "org.delete",
        target: `org:${id}`,
        details: { job },
      });
    },
  };
}
