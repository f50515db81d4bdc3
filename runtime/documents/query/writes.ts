import type { CollectionDefinition } from "../../realm/definition.ts";
import { type Named, notAllowed, nowhere } from "../organizations.ts";
import { judgeBoolean, reader } from "./judges.ts";

// `expand` on a write is ignored (api-decisions, Documents and HTTP).
const readWrite = reader(["expand"], {});
const readUpdate = reader(["expand", "org"], {});
const readCreate = reader(["expand", "org", "team"], {});
const readDryRun = reader(["expand", "dry_run"], { dry_run: judgeBoolean });
const readPurge = reader(["expand", "purge"], { purge: judgeBoolean });

/**
 * Checks the query string of a write that takes no parameters.
 * @throws ApiError `invalid_query`
 */
export function writeQuery(search: string): void {
  if (search !== "") readWrite(search);
}

/**
 * What the query string of creates names: {@link nowhere} where that is nothing.
 * @param collections in which the request may create
 * @throws ApiError `invalid_query`, and `org_not_allowed` | `team_not_allowed` where none of them has any
 */
export function createQuery(search: string, collections: readonly CollectionDefinition[]): Named {
  if (search === "") return nowhere;
  const values = readCreate(search);
  const [org, team] = [values.get("org"), values.get("team")];
  if (org === undefined && team === undefined) return nowhere;
  if (org !== undefined && collections.every(({ organization }) => organization === undefined)) {
    throw notAllowed("org");
  }
  if (team !== undefined && collections.every(({ organization }) => organization?.teams === undefined)) {
    throw notAllowed("team");
  }
  return { org, team };
}

/**
 * @returns reads the query string of an update, for the organization that it names where there are any, or throws
 *   ApiError `invalid_query`
 */
export function updateQuery({ organization }: CollectionDefinition): (search: string) => string | undefined {
  const read = organization === undefined ? readWrite : readUpdate;
  return (search) => (search === "" ? undefined : read(search).get("org"));
}

/**
 * Whether a DELETE in a soft-delete collection asks to purge.
 * @throws ApiError `invalid_query`
 */
export function purgeQuery(search: string): boolean {
  return search !== "" && readPurge(search).get("purge") === "true";
}

/**
 * Whether a request only asks what it would do.
 * @throws ApiError `invalid_query`
 */
export function dryRunQuery(search: string): boolean {
  return search !== "" && readDryRun(search).get("dry_run") === "true";
}
