/**
 * What a thread tells of its runs, read as what a stranger tells: a handler may have changed the prototypes that the thread's own
 * code rests on, so that whatever was checked there is checked here. Whoever reads it ends the thread where this throws.
 */
import { isJsonObject, type JsonObject } from "../../../json.ts";
import type { LogLine, Result } from "../../invocation.ts";
import type { PackedResult } from "../../messages.ts";
import { unpackResult } from "../../packing.ts";
import { resultOf } from "../../worker/returned.ts";
import { deliberateResult, failure, refusal } from "../../worker/thrown.ts";
import { amount, object, oneOf, text } from "./values.ts";

/** @throws where it is none */
export function resultTold(packed: PackedResult, outputBytes: number): Result {
  const result = unpackResult(packed);
  switch (result.kind) {
    case "returned": {
      const { value } = result;
      if (value.kind === "webhook") return resultOf("webhook", value, outputBytes);
      if (value.kind === "nothing") return { kind: "returned", value: { kind: "nothing" } };
      const output = text(value.output);
      if (Buffer.byteLength(output) <= outputBytes)
        return { kind: "returned", value: { kind: "call", output } };
      const reason = `its output is longer than ${outputBytes} bytes`;
      return { kind: "failed", code: "invalid_output", reason };
    }
    case "refused": {
      const { status, code, message, details } = result;
      return known(deliberateResult(refusal(status, code, text(message), details)));
    }
    case "retry":
      return { kind: "retry", ...(result.after !== undefined && { after: amount(result.after) }) };
    case "ended":
      return known(deliberateResult(failure(result.code, text(result.message))));
    case "failed": {
      const code = result.code === "invalid_output" ? result.code : "function_failed";
      const { details } = result;
      return {
        ...{ kind: "failed", code, reason: text(result.reason) },
        ...(details !== undefined && { details: objects(details) }),
      };
    }
    case "forwarded": {
      const { status } = result;
      if (!Number.isInteger(status) || status < 400 || status > 499) throw new TypeError("no such status");
      const { operation, collection } = result;
      return {
        ...{ kind: "forwarded", status, body: JSON.stringify(JSON.parse(text(result.body))) },
        ...(operation !== undefined && { operation: text(operation) }),
        ...(collection !== undefined && { collection: text(collection) }),
      };
    }
    default:
      throw new TypeError("a thread tells no such result");
  }
}

const levels = ["debug", "info", "warn", "error"] as const;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** @throws where it is none */
export function lineTold({ at, level, message, fields }: LogLine): LogLine {
  if (!moment.test(text(at))) throw new TypeError("no such moment");
  return {
    ...{ at, level: oneOf(levels, level), message: text(message) },
    fields: object(JSON.parse(JSON.stringify(fields))),
  };
}

function objects(value: unknown): readonly JsonObject[] {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  if (Array.isArray(plain) && plain.every(isJsonObject)) return plain;
  throw new TypeError("no such details");
}

function known<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new TypeError("a thread tells no such result");
}
