import { appendAudit } from "../../auth/administration/audit.ts";
import { BodyReader } from "../../auth/input.ts";
import { ApiError } from "../../errors.ts";
import type { Filter } from "../../filter/algebra.ts";
import { queryProblemsNamed } from "../../http/parameters.ts";
import { queueJob } from "../../jobs/queue.ts";
import { anonymous } from "../../realm/caller.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, Received, RouteFactory } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { receiveFrom } from "../entrance.ts";
import { queryFields } from "../query/fields.ts";
import { searchLanguage } from "../query/language.ts";
import { type ReadWhere, readWhere } from "../query/where.ts";
import { dryRunQuery } from "../query/writes.ts";
import { assignable, assigningOf } from "./assigning.ts";
import { administratorEntrance, noSuchOrganization } from "./entrance.ts";

/**
 * `POST /v1/{realm}/_admin/data/{database}/{collection}/_assign_org`: queues a job that gives an organization to documents
 * that have none (spec: Administrator routes); `?dry_run=true` only counts them.
 */
export function assignDocuments(definition: CollectionDefinition): RouteFactory {
  return (realm) => {
    const { documents } = collectionOf(realm, definition);
    const entrance = administratorEntrance(realm, [definition]);
    const { database, name: collection } = definition;
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const asked = await entrance.writer(exchange);
        requireWrite(definition, asked, undefined);
        const dryRun = dryRunQuery(exchange.search);
        const { received, access } = await receiveFrom(entrance, asked, exchange);
        const { org, where } = readAssignment(received);
        const language = searchLanguage(undefined, access, exchange);
        const wanted = filterOf(readWhere(where, queryFields(definition, access), () => language));
        const { teams } = await entrance.place(access, { org, team: undefined });
        if (teams === undefined) throw noSuchOrganization();
        if (dryRun) {
          const count = await documents.count(assignable.filter(wanted), assignable.visibility);
          return { status: 200, body: JSON.stringify({ count }) };
        }
        const { caller = anonymous } = access;
        const assigning = assigningOf({ org, database, collection, where, language }, caller.actor);
        const job = await realm.store.transaction(async (transaction) => {
          const queued = await queueJob(realm, transaction, assigning);
          await appendAudit(realm, transaction, exchange, caller, {
            action: "data.assign_org",
            target: `org:${org}`,
            details: { collection: `${database}/${collection}`, job: queued },
          });
          return queued;
        });
        realm.wakeJobs();
        return { status: 202, body: JSON.stringify({ job }) };
      },
    };
  };
}

/**
 * The body; `where` as the parameter of a list would be.
 * @throws ApiError `validation_error`
 */
function readAssignment(exchange: Received): { readonly org: string; readonly where: string } {
  const body = new BodyReader(exchange, "application/json");
  const org = body.string("org");
  const where = body.where("where");
  body.finish();
  return { org, where: JSON.stringify(where) };
}

/** @throws ApiError `invalid_query` */
function filterOf(where: ReadWhere): Filter {
  if ("filter" in where) return where.filter;
  throw new ApiError("invalid_query", "The where is invalid.", {
    details: where.problems.slice(0, queryProblemsNamed),
  });
}
