import { index, shape } from "../../auth/collections.ts";
import { readRecord, writeRecord } from "../../auth/records.ts";
import { documentFields, field } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { FunctionInput, LogLine } from "../invocation.ts";

export const invocationStatuses = ["succeeded", "failed", "timeout", "cancelled"] as const;

export type InvocationStatus = (typeof invocationStatuses)[number];

/** `_svc.invocations`: that a function ran, and what came of it; nothing of its input, its output or its secrets. */
export interface InvocationRecord {
  readonly id: string;
  /** `<database>/<function>`. */
  readonly function: string;
  readonly kind: FunctionInput["kind"];
  readonly status: InvocationStatus;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** From 1. */
  readonly attempt: number;
  /** `user:<id>`, `key:<name>` or `anonymous`; null: nobody called it. */
  readonly caller: string | null;
  readonly request_id: string;
  readonly error: InvocationError | null;
  readonly logs: readonly LogLine[];
}

export interface InvocationError {
  readonly code: string;
  readonly message: string;
  /** Of a refusal: one for each field, as requests are told. */
  readonly details?: readonly JsonObject[];
}

export const invocationCollection = "_svc.invocations";

/** Fields of `_svc.invocations` that are searched by. */
export const invocationFields = {
  function: field("function", "string"),
  status: field("status", "string"),
};

const { "_meta.created_at": created, id } = documentFields;

/** The system collection of invocations. */
export const invocationShape: CollectionShape = shape(invocationCollection, invocationFields, [
  index("function", [invocationFields.function, created, id], false),
  index("status", [invocationFields.function, invocationFields.status, created, id], false),
]);

/** Milliseconds that they are kept, and how many of a function. */
const keptFor = 7 * 86_400_000;
export const keptOfFunction = 1_000;

/** Characters of the lines of one. */
const mostLogs = 65_536;

export const readInvocation = readRecord<InvocationRecord>;

export function writeInvocation(record: InvocationRecord): DocumentWrite {
  const kept: InvocationRecord = { ...record, logs: bounded(record.logs) };
  const written = writeRecord(kept, 1, record.started_at);
  return { ...written, purgeAt: written.createdAt + keptFor };
}

function bounded(logs: readonly LogLine[]): readonly LogLine[] {
  let left = mostLogs;
  return logs.filter((line) => {
    left -= JSON.stringify(line).length;
    return left >= 0;
  });
}

/** As administrators see it. */
export function invocationView({ function: _, ...shown }: InvocationRecord): JsonObject {
  return {
    ...shown,
    error: shown.error && { ...shown.error },
    logs: shown.logs.map((line) => ({ ...line })),
  };
}
