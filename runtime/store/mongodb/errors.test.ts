import {
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from "mongodb";
import { describe, expect, test } from "vitest";
import { field } from "../../filter/fields.ts";
import {
  DocumentTooLarge,
  DuplicateId,
  HistoryExpired,
  QueryTimeout,
  StoreBusy,
  StoreRefused,
  StoreUnavailable,
  TransactionConflict,
  UniqueViolation,
} from "../contract/errors.ts";
import type { CollectionShape } from "../contract/shape.ts";
import { isConflict, isDuplicateKey, storeError } from "./errors.ts";
import { declaredDefinition } from "./indexes.ts";

const unique = (name: string, path: string) => ({
  name,
  keys: [{ field: field(path, "string"), descending: false }],
  unique: true,
});
const shape: CollectionShape = {
  name: "app.people",
  fields: {},
  indexes: [unique("by", "b"), unique("by_name", "name"), { ...unique("plain", "p"), unique: false }],
  feed: false,
};
const written = { shape, id: "a" };

// The driver's type wants a class that it does not export.
const inBulk = (error: Error) => new MongoBulkWriteError(error, JSON.parse("{}"));
const labelled = (label: string): Error => {
  const error = failed(99_999);
  error.addErrorLabel(label);
  return error;
};
const failed = (code: number, errmsg = "x", more: object = {}) =>
  new MongoServerError({ ok: 0, code, errmsg, message: errmsg, ...more });

/** As the server says it (manual: Unique Indexes). */
function duplicate(index: string, keyPattern: object): MongoServerError {
  const errmsg = `E11000 duplicate key error collection: svc-shop.app.people index: ${index} dup key: { x: " index: _id_ dup key" }`;
  return failed(11000, errmsg, { keyPattern });
}

test("TransactionTooLargeForCache is not tried again, and says that it was too much", () => {
  const error = storeError(
    failed(388, "transaction is too large and will not fit in the storage engine cache"),
  );
  expect(error).toEqual(new DocumentTooLarge("transaction"));
  expect(isConflict(failed(388))).toBe(false);
});

describe("duplicate keys", () => {
  test("of the id", () => {
    expect(storeError(duplicate("_id_", { _id: 1 }), written)).toEqual(new DuplicateId("a"));
    expect(storeError(duplicate("_id_", { _id: 1 }), written)).toBeInstanceOf(DuplicateId);
  });

  test("of a unique index: by its name, and by its keys where the name is another's", () => {
    for (const { name, keys } of shape.indexes.slice(0, 2)) {
      const index = { name, keys, unique: true };
      const made = declaredDefinition(shape.name, index)?.name ?? "";
      expect(storeError(duplicate(made, {}), written)).toEqual(new UniqueViolation(name));
      const keyPattern = Object.fromEntries(keys.map(({ field }) => [field.path, 1]));
      expect(storeError(duplicate("somebody_elses", keyPattern), written)).toEqual(new UniqueViolation(name));
    }
  });

  test("of a unique index that another instance declares, with a newer configuration", () => {
    const error = duplicate("svc_new_one_0123456789ab", { other: 1 });
    expect(storeError(error, written)).toEqual(new UniqueViolation("new_one"));
  });

  test("of an index that is none of ours stay what they are", () => {
    const error = duplicate("somebody_elses", { other: 1 });
    expect(storeError(error, written)).toBe(error);
  });

  test("in bulk, and where nobody asks what was written", () => {
    const bulk = new MongoBulkWriteError(
      { message: duplicate("_id_", {}).message, code: 11000, writeErrors: [] },
      // The driver's type wants a class that it does not export.
      JSON.parse("{}"),
    );
    expect(storeError(bulk, written)).toBeInstanceOf(DuplicateId);
    expect([isDuplicateKey(bulk), isDuplicateKey(failed(11000)), isDuplicateKey(failed(112))]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

test.each<[string, Error, new (...of: never[]) => Error]>([
  ["MaxTimeMSExpired", failed(50), QueryTimeout],
  ["too much memory for a query", failed(292), QueryTimeout],
  ["WriteConflict", failed(112), TransactionConflict],
  ["NoSuchTransaction", failed(251), TransactionConflict],
  ["NotWritablePrimary", failed(10107), StoreUnavailable],
  ["InterruptedAtShutdown", failed(11600), StoreUnavailable],
  ["PrimarySteppedDown", failed(189), StoreUnavailable],
  ["TemporarilyUnavailable", failed(365), StoreUnavailable],
  ["a code of newer servers that may pass", labelled("SystemOverloadedError"), StoreUnavailable],
  ["the connection broke", new MongoNetworkError("x"), StoreUnavailable],
  ["no answer", new MongoNetworkTimeoutError("x"), StoreUnavailable],
  ["the client is closed", new MongoTopologyClosedError("x"), StoreUnavailable],
  [
    "not written by a majority",
    new MongoWriteConcernError({
      ok: 1,
      writeConcernError: { code: 64, errmsg: "waiting for replication timed out" },
    }),
    StoreUnavailable,
  ],
  [
    "a network's own error",
    Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND", syscall: "getaddrinfo" }),
    StoreUnavailable,
  ],
  ["several writes, and the connection broke", inBulk(new MongoNetworkError("x")), StoreUnavailable],
  ["several writes, and one is too large", inBulk(failed(10334)), DocumentTooLarge],
  ["BSONObjectTooLarge", failed(10334), DocumentTooLarge],
  [
    "a document too large for the test server",
    failed(2, "document to insert larger than the maximum size"),
    DocumentTooLarge,
  ],
  [
    "a document too large for the driver",
    new MongoInvalidArgumentError("Document is larger than the maximum size 16777216"),
    DocumentTooLarge,
  ],
  ["ChangeStreamHistoryLost", failed(286), HistoryExpired],
  ["Unauthorized", failed(13, "not authorized on svc-x to execute command { insert: 'x' }"), StoreRefused],
])("%s", (_, error, meant) => {
  expect(storeError(error)).toBeInstanceOf(meant);
});

test("no connection was free in time", () => {
  const error = new MongoInvalidArgumentError(
    "Timed out while checking out a connection from connection pool",
  );
  Object.defineProperty(error, "name", { value: "MongoWaitQueueTimeoutError" });
  expect(storeError(error)).toBeInstanceOf(StoreBusy);
});

test("what is no error of the driver's, or one that nobody foresaw, stays as it is", () => {
  const errors = [new DuplicateId("a"), new TypeError("x"), failed(9, "FailedToParse")];
  for (const error of errors) expect(storeError(error, written)).toBe(error);
  expect(storeError("text")).toEqual(new Error("text"));
});

test("conflicts may be tried again", () => {
  expect([112, 251, 24, 50, 11000].map((code) => isConflict(failed(code)))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(isConflict(new Error("x"))).toBe(false);
});
