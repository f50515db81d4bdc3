import { administratorRoute } from "../../auth/contracted.ts";
import { answerAtHand, answerPage, listOf, oneOf, pageRequest } from "../../auth/paging.ts";
import * as contract from "../../contract/functions.ts";
import { ApiError } from "../../errors.ts";
import { and, eq, isIn, TRUE } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../../realm/functions.ts";
import {
  invocationCollection,
  invocationFields,
  invocationStatuses,
  invocationView,
  readInvocation,
} from "../invocations/records.ts";

/** By name, each with how its invocations ended. */
export const listFunctions = administratorRoute(contract.listFunctions, (realm) => async ({ query }) => {
  const counts = await countsOf(realm);
  const records = functionsIn(realm).map((definition) => ({
    id: functionName(definition),
    mode: definition.mode,
  }));
  const request = pageRequest(query);
  return answerAtHand(realm, { records, context: "functions" }, request, ({ id, mode }) => ({
    id,
    mode,
    invocations: Object.fromEntries(
      invocationStatuses.map((status) => [status, counts.get(`${id} ${status}`) ?? 0]),
    ),
  }));
});

/** How many invocations of each function, by name and status, ended so. */
async function countsOf(realm: RealmInstance): Promise<ReadonlyMap<string, number>> {
  const { groups } = await realm.store.collection(invocationCollection).aggregate({
    filter: TRUE,
    visibility: "live",
    groupBy: [{ field: invocationFields.function }, { field: invocationFields.status }],
    metrics: [{ op: "count" }],
    order: [],
    limit: invocationStatuses.length * (functionsIn(realm).length + 1_000),
  });
  return new Map(groups.map(({ key, metrics: [count] }) => [key.join(" "), Number(count)]));
}

const invocationList = listOf(
  invocationCollection,
  documentFields.id,
  readInvocation,
  (invocation) => [invocation.started_at, invocation.id],
  "newest first",
);

/** Newest first; all, or those of a `status`: runs that took too long are `failed` as well as `timeout`. */
export const listInvocations = administratorRoute(
  contract.listInvocations,
  (realm) =>
    async ({ params, query }) => {
      const own = eq(invocationFields.function, functionName(requireFunction(realm, params)));
      const status = oneOf(query, "status", invocationStatuses);
      const wanted = status === "failed" ? ["failed", "timeout"] : [status];
      const filter = status === undefined ? own : and(own, isIn(invocationFields.status, wanted));
      return answerPage(realm, invocationList, filter, pageRequest(query), invocationView);
    },
);

/** @throws ApiError `not_found` */
export function requireFunction(
  realm: RealmInstance,
  params: { readonly database: string; readonly fn: string },
): FunctionDefinition {
  const found = functionsIn(realm).find(
    ({ database, name }) => database === params.database && name === params.fn,
  );
  if (found === undefined) throw new ApiError("not_found", "There is no such function.");
  return found;
}

function functionsIn({ definition }: RealmInstance): readonly FunctionDefinition[] {
  return definition.functions ?? [];
}
