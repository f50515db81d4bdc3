import { appendAudit } from "../../auth/administration/audit.ts";
import { assignDocuments as contract } from "../../contract/document-administration.ts";
import { traitsOf } from "../../contract/traits.ts";
import { ApiError } from "../../errors.ts";
import type { Filter } from "../../filter/algebra.ts";
import { bodyReader } from "../../http/contract-body.ts";
import { queryProblemsNamed } from "../../http/parameters.ts";
import { queueJob } from "../../jobs/queue.ts";
import { anonymous } from "../../realm/caller.ts";
import type { Answer } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { queryFields } from "../query/fields.ts";
import { searchLanguage } from "../query/language.ts";
import { type ReadWhere, readWhere } from "../query/where.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { assignable, assigningOf } from "./assigning.ts";
import { administratorEntrance, noSuchOrganization } from "./entrance.ts";

/**
 * Queues a job that gives an organization to documents that have none (spec: Administrator routes); `?dry_run=true` only counts
 * them.
 */
export const assignDocuments = collectionRoute(
  contract,
  ({ realm, definition, collection, entrance, enter, receive }) => {
    const { documents } = collection;
    const query = writeQuery(contract, realm, [definition]);
    const read = bodyReader(contract, traitsOf(realm.definition, [definition]));
    const { database, name } = definition;
    return async (exchange): Promise<Answer> => {
      const asked = await enter(exchange);
      requireWrite(definition, asked, undefined);
      const dryRun = query(exchange.search).get("dry_run") === "true";
      const { received, access } = await receive(asked, exchange);
      const { org, where: conditions } = read(received)();
      const where = JSON.stringify(conditions);
      const language = searchLanguage(undefined, access, exchange);
      const wanted = filterOf(readWhere(where, queryFields(definition, access), () => language));
      const { teams } = await entrance.place(access, { org, team: undefined });
      if (teams === undefined) throw noSuchOrganization();
      if (dryRun) {
        const count = await documents.count(assignable.filter(wanted), assignable.visibility);
        return { status: 200, body: JSON.stringify({ count }) };
      }
      const { caller = anonymous } = access;
      const assigning = assigningOf({ org, database, collection: name, where, language }, caller.actor);
      const job = await realm.store.transaction(async (transaction) => {
        const queued = await queueJob(realm, transaction, assigning);
        await appendAudit(realm, transaction, exchange, caller, {
          action: "data.assign_org",
          target: `org:${org}`,
          details: { collection: `${database}/${name}`, job: queued },
        });
        return queued;
      });
      realm.wakeJobs();
      return { status: 202, body: JSON.stringify({ job }) };
    };
  },
  administratorEntrance,
);

/** @throws ApiError `invalid_query` */
function filterOf(where: ReadWhere): Filter {
  if ("filter" in where) return where.filter;
  throw new ApiError("invalid_query", "The where is invalid.", {
    details: where.problems.slice(0, queryProblemsNamed),
  });
}
