import { type Administrator, admission } from "../../auth/administration/administrator.ts";
import { appendAudit } from "../../auth/administration/audit.ts";
import { unauthenticated } from "../../auth/authenticate.ts";
import { permits, permitsAny } from "../../auth/scopes.ts";
import { cancelFunctionJob, getFunctionJob } from "../../contract/function-jobs.ts";
import { ApiError } from "../../errors.ts";
import { tableBelow } from "../../http/contracted-routes.ts";
import { parameters } from "../../http/parameters.ts";
import { isId } from "../../ids.ts";
import { cancelJob, findJob } from "../../jobs/queue.ts";
import type { JobRecord } from "../../jobs/records.ts";
import { jobView } from "../../jobs/routes.ts";
import { anonymous, type Caller, identityOf, keyOf, ownOrganization } from "../../realm/caller.ts";
import type { Answer, Exchange, RealmInstance, RouteFactory, RouteTable } from "../../realm/exchange.ts";
import { targetsIn } from "./calls.ts";

/** A job that is looked at, and by whom. */
interface Found {
  readonly job: JobRecord;
  /** Of those who look at it by their administration alone. */
  readonly administrator: Administrator["caller"] | undefined;
}

/** `GET, DELETE /v1/{realm}/{database}/_jobs/{id}` of databases that have functions. */
export function functionJobRoutes(realm: string, databases: Iterable<string>): RouteTable {
  const routes = [...databases].flatMap((database) => {
    const names = { database };
    return [
      { contract: getFunctionJob, route: getJob(database), names },
      { contract: cancelFunctionJob, route: cancel(database), names },
    ];
  });
  return tableBelow(`/v1/${realm}`, routes);
}

function getJob(database: string): RouteFactory {
  return (realm) => {
    const find = finder(realm, database, "see");
    return {
      class: "private",
      async handle(exchange): Promise<Answer> {
        const { job } = await find(exchange);
        const result = job.output === undefined ? null : JSON.parse(job.output);
        return { status: 200, body: JSON.stringify({ ...jobView(job), result }) };
      },
    };
  };
}

/** An administrator's is audited. */
function cancel(database: string): RouteFactory {
  return (realm) => {
    const find = finder(realm, database, "change");
    return {
      class: "private",
      async handle(exchange): Promise<Answer> {
        const { job, administrator } = await find(exchange);
        const { id, kind } = job;
        const cancelled = await cancelJob(realm, id, async (transaction) => {
          if (administrator === undefined) return;
          const details = { kind };
          const entry = { action: "job.cancel", target: `job:${id}`, details } as const;
          await appendAudit(realm, transaction, exchange, administrator, entry);
        });
        if (cancelled === undefined) throw new ApiError("conflict", "The job has ended.");
        realm.dropJob(id);
        return { status: 204 };
      },
    };
  };
}

/** @returns what throws ApiError `unauthenticated`, `forbidden` for keys that call nothing, `not_found` */
function finder(
  realm: RealmInstance,
  database: string,
  to: "see" | "change",
): (exchange: Exchange) => Promise<Found> {
  const { definition, store } = realm;
  const admit = admission(realm);
  const isOpen = definition.accounts === undefined;
  const targets = targetsIn(definition, database);
  const administratorOf = (caller: Caller, exchange: Exchange) => {
    try {
      return admit(caller, exchange, { area: "functions", to }).caller;
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
  return async (exchange) => {
    const caller = isOpen ? anonymous : await realm.authenticate(exchange);
    if (caller.kind === "anonymous" && !isOpen) throw unauthenticated("Jobs are shown to who queued them.");
    const administrator = isOpen ? undefined : administratorOf(caller, exchange);
    const scopes = keyOf(caller)?.scopes;
    if (administrator === undefined && !permitsAny(scopes, "call"))
      throw new ApiError("forbidden", "The key's scopes let it call nothing.");
    parameters(exchange.search, []);
    const { id = "" } = exchange.params;
    const job = isId(id) ? await findJob(store, id) : undefined;
    const name = job && targets.get(job.target);
    if (job === undefined || name === undefined) throw notFound();
    const isOwn = isOwners(job, caller) && permits(scopes, "call", database, name);
    if (isOpen || isOwn) return { job, administrator: undefined };
    if (administrator === undefined) throw notFound();
    return { job, administrator };
  };
}

/** Organizations name their keys themselves: a name alone is no proof of one. */
function isOwners({ owner, created_by }: JobRecord, caller: Caller): boolean {
  if (owner !== undefined) return owner === identityOf(caller);
  return created_by === caller.actor && ownOrganization(caller) === undefined;
}

function notFound(): ApiError {
  return new ApiError("not_found", "There is no such job.");
}
