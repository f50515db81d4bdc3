import { ApiError, type ErrorCode } from "../../errors.ts";
import { judgeBoolean, reader } from "./judges.ts";

// `expand` on a write is ignored (api-decisions, Documents and HTTP).
const readWrite = reader(["expand"], {});
const readCreate = reader(["expand", "org", "team"], {});
const readPurge = reader(["expand", "purge"], { purge: judgeBoolean });

/**
 * Checks the query string of a write that takes no parameters.
 * @throws ApiError `invalid_query`
 */
export function writeQuery(search: string): void {
  if (search !== "") readWrite(search);
}

/**
 * Checks the query string of creates, which may name an organization and a team where collections have them; so far
 * none has.
 * @throws ApiError `invalid_query` | `org_not_allowed` | `team_not_allowed`
 */
export function createQuery(search: string): void {
  if (search === "") return;
  const values = readCreate(search);
  if (values.has("org")) throw notAllowed("org", "org_not_allowed", "organizations");
  if (values.has("team")) throw notAllowed("team", "team_not_allowed", "teams");
}

function notAllowed(path: string, code: ErrorCode, what: string): ApiError {
  const details = [{ path, reason: `is not available: there are no ${what} here` }];
  return new ApiError(code, `Documents here do not belong to ${what}.`, { details });
}

/**
 * Whether a DELETE in a soft-delete collection asks to purge.
 * @throws ApiError `invalid_query`
 */
export function purgeQuery(search: string): boolean {
  return search !== "" && readPurge(search).get("purge") === "true";
}
