import * as contract from "../../contract/administration.ts";
import { and, compare, eq, type Filter, type Ordering, TRUE } from "../../filter/algebra.ts";
import { storedDate } from "../../filter/dates.ts";
import { documentFields } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import { auditFields } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { answerPage, invalidParameter, lists, pageRequest } from "../paging.ts";
import type { AuditRecord } from "../records.ts";

export const listAudit = administratorRoute(
  contract.listAudit,
  (realm) =>
    async ({ query }) =>
      answerPage(realm, lists.audit, search(query), pageRequest(query), auditView),
);

/** @throws ApiError `invalid_query` */
function search(query: ReadonlyMap<string, string>): Filter {
  const action = query.get("action");
  const actor = query.get("actor");
  return and(
    action === undefined ? TRUE : eq(auditFields.action, action),
    actor === undefined ? TRUE : eq(auditFields.actor, actor),
    bound(query, "from", "gte"),
    bound(query, "to", "lt"),
  );
}

/** The time that a record was made is the store's own too, by which every index of the trail is in order. */
function bound(query: ReadonlyMap<string, string>, name: "from" | "to", op: Ordering): Filter {
  const given = query.get(name);
  if (given === undefined) return TRUE;
  const instant = storedDate(given, "date-time");
  if (instant === undefined) {
    throw invalidParameter(name, "must be an RFC 3339 time such as 2030-01-31T00:00:00Z");
  }
  return compare(op, documentFields["_meta.created_at"], instant);
}

function auditView(record: AuditRecord): JsonObject {
  const { id, at, action, actor, target, address, request_id, details } = record;
  return { id, at, action, actor, target, address, request_id, details };
}
