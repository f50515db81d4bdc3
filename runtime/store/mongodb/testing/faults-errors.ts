import { Long, ObjectId } from "mongodb";
import type { Command, Fields } from "./faults-wire.ts";

/** Codes and names as MongoDB's manual lists them (Error Codes). */
export const serverErrors = {
  HostUnreachable: 6,
  Unauthorized: 13,
  AuthenticationFailed: 18,
  CursorNotFound: 43,
  MaxTimeMSExpired: 50,
  WriteConcernFailed: 64,
  CannotCreateIndex: 67,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  UnsatisfiableWriteConcern: 100,
  WriteConflict: 112,
  ExceededMemoryLimit: 146,
  CannotIndexParallelArrays: 171,
  PrimarySteppedDown: 189,
  ExceededTimeLimit: 262,
  NoSuchTransaction: 251,
  InvalidResumeToken: 260,
  IndexBuildAborted: 276,
  ChangeStreamFatalError: 280,
  IndexBuildAlreadyInProgress: 285,
  ChangeStreamHistoryLost: 286,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  TransactionTooLargeForCache: 388,
  BSONObjectTooLarge: 10334,
  SocketException: 9001,
  NotWritablePrimary: 10107,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  InterruptedDueToReplStateChange: 11602,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  Location40485: 40485,
  Location5643011: 5643011,
} as const;

export type ServerErrorName = keyof typeof serverErrors;

/** The server is no primary, or will be none: the driver looks for another (specification: SDAM, state change errors). */
const stateChanges: ReadonlySet<ServerErrorName> = new Set([
  "ShutdownInProgress",
  "PrimarySteppedDown",
  "NotWritablePrimary",
  "InterruptedAtShutdown",
  "InterruptedDueToReplStateChange",
  "NotPrimaryNoSecondaryOk",
  "NotPrimaryOrSecondary",
]);

/** The same command may do better at the next attempt (server: `isRetriableError`). */
const retryable: ReadonlySet<ServerErrorName> = new Set([
  ...stateChanges,
  "HostUnreachable",
  "NetworkTimeout",
  "SocketException",
  "ExceededTimeLimit",
]);

const messages: Readonly<Partial<Record<ServerErrorName, string>>> = {
  AuthenticationFailed: "Authentication failed.",
  MaxTimeMSExpired: "operation exceeded time limit",
  NotWritablePrimary: "not primary",
  NotPrimaryNoSecondaryOk: "not primary and secondaryOk=false",
  InterruptedAtShutdown: "interrupted at shutdown",
  InterruptedDueToReplStateChange: "operation was interrupted",
  PrimarySteppedDown: "Transaction was aborted because the primary stepped down",
  WriteConflict: "Write conflict during plan execution and yielding is disabled.",
};

/** Which state of a member an answer speaks of; it grows with every change. */
export interface TopologyVersion {
  readonly processId: ObjectId;
  readonly counter: Long;
}

/**
 * A failed command as the server answers it, with the labels it gives.
 * @param version named where the member's state changed
 */
export function errorAnswer(
  name: ServerErrorName,
  command: Command,
  version: TopologyVersion,
  errmsg = messages[name] ?? name,
): Fields {
  const labels = errorLabels(name, command);
  return {
    ok: 0,
    errmsg,
    code: serverErrors[name],
    codeName: name,
    ...(labels.length > 0 && { errorLabels: labels }),
    ...(stateChanges.has(name) && { topologyVersion: version }),
  };
}

/** As `error_labels.cpp` of the server gives them. */
function errorLabels(name: ServerErrorName, command: Command): readonly string[] {
  const { body } = command;
  const ends = command.name === "commitTransaction" || command.name === "abortTransaction";
  if (body["autocommit"] === false && !ends) {
    const transient = retryable.has(name) || name === "WriteConflict" || name === "NoSuchTransaction";
    return transient ? ["TransientTransactionError"] : [];
  }
  if (ends && name === "NoSuchTransaction") return ["TransientTransactionError"];
  if ((ends || "txnNumber" in body) && retryable.has(name)) return ["RetryableWriteError"];
  const follows = command.name === "getMore" || isChangeStream(body);
  if (follows && (retryable.has(name) || name === "CursorNotFound")) return ["ResumableChangeStreamError"];
  return [];
}

function isChangeStream({ pipeline }: Fields): boolean {
  return Array.isArray(pipeline) && "$changeStream" in (pipeline[0] ?? {});
}

/** What the server adds to the answer of a write that was done here but not confirmed as it was to be. */
export function writeConcernError(name: ServerErrorName, command: Command, version: TopologyVersion): Fields {
  const retry =
    retryable.has(name) && (command.body["autocommit"] !== false || command.name === "commitTransaction");
  const timeout = name === "WriteConcernFailed";
  return {
    writeConcernError: {
      code: serverErrors[name],
      codeName: name,
      errmsg: timeout
        ? "waiting for replication timed out"
        : name === "UnsatisfiableWriteConcern"
          ? "Not enough data-bearing nodes"
          : (messages[name] ?? name),
      ...(timeout && { errInfo: { wtimeout: true } }),
    },
    ...(retry && { errorLabels: ["RetryableWriteError"] }),
    ...(stateChanges.has(name) && { topologyVersion: version }),
  };
}

export function firstVersion(): TopologyVersion {
  return { processId: new ObjectId(), counter: Long.ZERO };
}

export function nextVersion({ processId, counter }: TopologyVersion): TopologyVersion {
  return { processId, counter: counter.add(1) };
}
