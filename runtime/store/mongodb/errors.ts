import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from "mongodb";
import {
  DocumentTooLarge,
  DuplicateId,
  HistoryExpired,
  IndexBuilding,
  QueryTimeout,
  StoreBusy,
  StoreRefused,
  StoreUnavailable,
  TransactionConflict,
  UniqueViolation,
} from "../contract/errors.ts";
import type { CollectionShape } from "../contract/shape.ts";
import { declaredIndex, nameIn } from "./indexes.ts";
import { pathOf } from "./layout.ts";

/** Codes as MongoDB's manual lists them (Error Codes). */
const codes = {
  duplicateKey: new Set([11000, 11001]),
  /** MaxTimeMSExpired, ExceededMemoryLimit, QueryExceededMemoryLimitNoDiskUseAllowed: more than a query is given. */
  tooDear: new Set([50, 146, 292]),
  /** WriteConflict, NoSuchTransaction, LockTimeout */
  conflict: new Set([112, 251, 24]),
  /** BSONObjectTooLarge; of results of an update; of what is inserted. */
  tooLarge: new Set([10334, 17419, 17420]),
  /** TransactionTooLargeForCache: nor would it be done at another attempt. */
  tooMuchAtOnce: new Set([388]),
  /** IndexNotFound: only searches need one. */
  noIndex: new Set([27]),
  /** ChangeStreamHistoryLost, ChangeStreamFatalError, CappedPositionLost */
  historyLost: new Set([286, 280, 136]),
  /**
   * HostUnreachable, HostNotFound, CursorNotFound (the new primary has it not), WriteConcernFailed, NetworkTimeout,
   * ShutdownInProgress, UnsatisfiableWriteConcern, FailedToSatisfyReadPreference, ReadConcernMajorityNotAvailableYet,
   * QueryPlanKilled (an index that it used was dropped), PrimarySteppedDown, NetworkInterfaceExceededTimeLimit,
   * CursorKilled, SnapshotTooOld, SnapshotUnavailable, ExceededTimeLimit, PooledConnectionsExpired,
   * TemporarilyUnavailable (its cache is full), SocketException, NotWritablePrimary (also in its old form),
   * InterruptedAtShutdown, Interrupted, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
   */
  unavailable: new Set([
    6, 7, 43, 64, 89, 91, 100, 133, 134, 175, 189, 202, 237, 239, 246, 262, 317, 365, 9001, 10107, 10058,
    11600, 11601, 11602, 13435, 13436,
  ]),
  /** UserNotFound, AuthenticationFailed, MechanismUnavailable, AtlasError */
  notLetIn: new Set([11, 18, 334, 8000]),
} as const;

/** By which servers, newer ones with further codes too, say that the same may succeed in a moment. */
const passing = ["RetryableWriteError", "RetryableError", "SystemOverloadedError"];

const UNAUTHORIZED = 13;

const unavailableErrors = [
  MongoServerSelectionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
];

const CANNOT_INDEX_PARALLEL_ARRAYS = 171;
const WRITE_CONFLICT = 112;

/** What a write was about. */
export interface Written {
  readonly shape: CollectionShape;
  readonly id: string;
}

/** What an error of the driver means to who uses the store; other errors stay as they are. */
export function storeError(error: unknown, written?: Written): Error {
  // What went wrong with the command, and not with one of its writes, is in the wrapping alone what it is.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error)
    return storeError(error.errorResponse, written);
  if (isOfNetwork(error)) return new StoreUnavailable(error);
  if (!(error instanceof MongoError)) return error instanceof Error ? error : new Error(String(error));
  if (written !== undefined && isDuplicateKey(error)) return clash(error, written);
  const code = codeOf(error);
  // A write that was done, but not confirmed as it was to be, says so beside its answer.
  if (unavailableErrors.some((kind) => error instanceof kind)) return new StoreUnavailable(error);
  if (codes.tooDear.has(code) || error instanceof MongoOperationTimeoutError) return new QueryTimeout();
  if (codes.conflict.has(code)) return new TransactionConflict(error);
  if (codes.notLetIn.has(code)) return new StoreRefused("the user or the password is wrong");
  if (code === UNAUTHORIZED) return new StoreRefused(`the user ${missingPrivilege(error)}`);
  if (codes.unavailable.has(code)) return new StoreUnavailable(error);
  if (codes.historyLost.has(code)) return new HistoryExpired();
  // Somebody dropped it; it is made again at the next look (`text-build.ts`).
  if (codes.noIndex.has(code)) return new IndexBuilding(30);
  if (codes.tooMuchAtOnce.has(code)) return new DocumentTooLarge("transaction");
  if (codes.tooLarge.has(code) || isTooLarge(error)) return new DocumentTooLarge();
  // The driver does not export these classes.
  if (error.name === "MongoWaitQueueTimeoutError") return new StoreBusy();
  if (error.name === "MongoPoolClosedError") return new StoreUnavailable(error);
  if (passing.some((label) => error.hasErrorLabel(label))) return new StoreUnavailable(error);
  return error;
}

/**
 * Errors of Node's that the driver lets through: of name resolution, and where the server has closed a connection just
 * before it is used.
 */
function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return "syscall" in error || error.code === "EPIPE" || error.code === "ECONNRESET";
}

/**
 * Of a write by id that is no transaction's: it waits for whoever holds what it writes, and nothing else in it takes time.
 */
export function writeError(error: unknown): Error {
  const told = storeError(error);
  return told instanceof QueryTimeout ? new TransactionConflict(error) : told;
}

/** `not authorized on svc-shop to execute command { createIndexes: "app.people", … }`: the rest may hold documents. */
function missingPrivilege({ message }: MongoError): string {
  const [, database, command] = /not authorized on (\S+) to execute command \{ (\w+):/.exec(message) ?? [];
  return command === undefined ? "lacks a privilege" : `lacks the privilege of ${command} on ${database}`;
}

/** Another document has the id, or a unique value. */
export function isDuplicateKey(error: unknown): error is MongoError {
  return error instanceof MongoError && codes.duplicateKey.has(codeOf(error));
}

/** The document has arrays under two keys of one index; MongoDB does not write it. */
export function isParallelArrays(error: unknown): boolean {
  return error instanceof MongoError && codeOf(error) === CANNOT_INDEX_PARALLEL_ARRAYS;
}

/** The write met another one; the same write may succeed at the next attempt. */
export function isConflict(error: unknown): boolean {
  return error instanceof MongoError && codes.conflict.has(codeOf(error));
}

/** In a transaction: another one, whose end nobody knows, writes the same. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoError && codeOf(error) === WRITE_CONFLICT;
}

/**
 * There is no index as a query names it, or several, or none that could serve the query (BadValue, IndexNotFound,
 * NoQueryExecutionPlans).
 */
export function isUnknownHint(error: unknown): boolean {
  return error instanceof MongoError && [2, 27, 291].includes(codeOf(error)) && /hint/i.test(error.message);
}

function codeOf(error: MongoError): number {
  return typeof error.code === "number" ? error.code : Number.NaN;
}

function isTooLarge(error: MongoError): boolean {
  return /too large|larger than the maximum|BSONObj size|exceeds maximum/i.test(error.message);
}

/** `E11000 duplicate key error collection: svc-shop.app.people index: svc_by_name_1f2e3d4c dup key: …` */
function clash(error: MongoError, { shape, id }: Written): Error {
  const name = / index: (?:\S+\.\$)?(.+?) dup key/.exec(error.message)?.[1];
  if (name === "_id_") return new DuplicateId(id);
  const unique = shape.indexes.filter((index) => index.unique);
  const named = name === undefined ? undefined : declaredIndex(shape, name);
  const index = named ?? unique.find((one) => isOver(one, error));
  // During a rolling upgrade another instance may declare what this one does not. An index that somebody made by hand is
  // nobody's to explain.
  const violated = index?.name ?? nameIn(name ?? "");
  return violated === undefined ? error : new UniqueViolation(violated);
}

function isOver({ keys }: CollectionShape["indexes"][number], error: MongoError): boolean {
  if (!(error instanceof MongoServerError)) return false;
  const pattern: unknown = error["keyPattern"];
  if (typeof pattern !== "object" || pattern === null) return false;
  const paths = Object.keys(pattern);
  return paths.length === keys.length && keys.every(({ field }, at) => pathOf(field) === paths[at]);
}
