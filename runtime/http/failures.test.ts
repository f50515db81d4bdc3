import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import {
  DocumentTooLarge,
  IndexBuilding,
  QueryTimeout,
  StoreBusy,
  StoreRefused,
  StoreUnavailable,
  TransactionConflict,
} from "../store/contract/errors.ts";
import { apiError, errorAnswer } from "./failures.ts";

test.each<[Error, number, string, string | undefined]>([
  [new StoreUnavailable(new Error("x")), 503, "unavailable", "1"],
  [new StoreRefused("the user or the password is wrong"), 503, "unavailable", "1"],
  [new StoreBusy(), 503, "unavailable", "1"],
  [new QueryTimeout(), 503, "unavailable", undefined],
  [new IndexBuilding(30), 503, "index_building", "30"],
  [new TransactionConflict(new Error("x")), 503, "unavailable", "15"],
  [new DocumentTooLarge(), 413, "payload_too_large", undefined],
  [new Error("topsecret"), 500, "internal_error", undefined],
])("Errors: what clients see of %o", (error, status, code, retryAfter) => {
  const answer = errorAnswer(apiError(error), "r1");
  expect(answer.status).toBe(status);
  expect(answer.headers?.["retry-after"]).toBe(retryAfter);
  const message = expect.not.stringContaining("secret");
  expect(JSON.parse(String(answer.body))).toEqual({ error: { code, message, request_id: "r1" } });
});

test("an error in clients' terms stays as it is", () => {
  const error = new ApiError("not_found", "There is no such document.");
  expect(apiError(error)).toBe(error);
});
