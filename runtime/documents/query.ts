import { ApiError, type Detail, type ErrorCode } from "../errors.ts";
import { parameters } from "../http/parameters.ts";
import type { CollectionDefinition } from "../realm/definition.ts";

/** Which documents a read shows, beside the live ones: `only` the deleted ones, or these too. */
export type Deleted = "only" | "include";

export interface GetQuery {
  readonly deleted: Deleted | undefined;
}

export interface ListQuery extends GetQuery {
  readonly limit: number;
  readonly skip: number;
  readonly count: boolean;
}

export const plainGet: GetQuery = { deleted: undefined };
export const plainList: ListQuery = { deleted: undefined, limit: 20, skip: 0, count: false };

/** Parameters of the specification that answer `invalid_query` until their feature is there. */
const getUnavailable = ["expand", "file_links", "version"];
const listUnavailable = [...getUnavailable, "where", "order_by", "after", "language", "org", "team"];

type Judge = (value: string) => string | undefined;

/** Says what is wrong with a parameter's value. */
const judges: Readonly<Record<string, Judge>> = {
  limit: (value) => (isInteger(value, 1, 100) ? undefined : "must be an integer from 1 to 100"),
  skip: (value) => (isInteger(value, 0, deepest) ? undefined : `must be an integer from 0 to ${deepest}`),
  count: isBoolean,
  purge: isBoolean,
};

const deepest = 2 ** 31 - 1;

function isInteger(value: string, least: number, most: number): boolean {
  return /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most;
}

function isBoolean(value: string): string | undefined {
  return value === "true" || value === "false" ? undefined : "must be true or false";
}

function judgeDeleted(definition: CollectionDefinition): Judge {
  if (definition.softDelete === undefined) return () => "is not available: the collection has no soft delete";
  return (value) => (isDeleted(value) ? undefined : "must be only or include");
}

function isDeleted(value: string | undefined): value is Deleted {
  return value === "only" || value === "include";
}

/** @returns reads the query string of a GET of one document, or throws ApiError `invalid_query` */
export function getQuery(definition: CollectionDefinition): (search: string) => GetQuery {
  const read = reader(["deleted"], getUnavailable, { deleted: judgeDeleted(definition) });
  return (search) => (search === "" ? plainGet : { deleted: deletedOf(read(search)) });
}

/** @returns reads the query string of a list, or throws ApiError `invalid_query` with one detail per problem */
export function listQuery(definition: CollectionDefinition): (search: string) => ListQuery {
  const names = ["limit", "skip", "count", "deleted"];
  const read = reader(names, listUnavailable, { ...judges, deleted: judgeDeleted(definition) });
  return (search) => {
    if (search === "") return plainList;
    const values = read(search);
    return {
      deleted: deletedOf(values),
      limit: Number(values.get("limit") ?? plainList.limit),
      skip: Number(values.get("skip") ?? plainList.skip),
      count: values.get("count") === "true",
    };
  };
}

// `expand` on a write is ignored (api-decisions, Documents and HTTP).
const readWrite = reader(["expand"], [], {});
const readCreate = reader(["expand", "org", "team"], [], {});
const readPurge = reader(["expand", "purge"], [], judges);

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

function deletedOf(values: ReadonlyMap<string, string>): Deleted | undefined {
  const value = values.get("deleted");
  return isDeleted(value) ? value : undefined;
}

/** @param judge by parameter: what is wrong with a value */
function reader(
  names: readonly string[],
  unavailable: readonly string[],
  judge: Readonly<Record<string, Judge>>,
): (search: string) => ReadonlyMap<string, string> {
  const known = [...names, ...unavailable];
  const problemsOf = (values: ReadonlyMap<string, string>): readonly Detail[] =>
    [...values].flatMap(([path, value]) => {
      const reason = unavailable.includes(path) ? "is not available yet" : judge[path]?.(value);
      return reason === undefined ? [] : [{ path, reason }];
    });
  return (search) => parameters(search, known, problemsOf);
}
