import type { FunctionDefinition } from "../realm/functions.ts";
import { validationDetails } from "../validation/details.ts";
import type { Result, Returned } from "./invocation.ts";

/** Bytes of what a function returns. */
export const mostOutput = 8 * 1024 * 1024;

/** A result whose output is what the definition says, or that it is not. */
export function judgedResult(definition: FunctionDefinition, result: Result): Result {
  if (result.kind !== "returned") return result;
  const reason = misfit(definition, result.value);
  return reason === undefined ? result : { kind: "failed", code: "invalid_output", reason };
}

/** Paths alone: outputs stand in no record. */
function misfit(definition: FunctionDefinition, value: Returned): string | undefined {
  if (value.kind === "nothing") return undefined;
  const size = sizeOf(value);
  if (size > mostOutput) return `the output has ${size} bytes, and may have ${mostOutput}`;
  if (value.kind !== "call" || definition.mode !== "call") return undefined;
  const { validateOutput } = definition;
  if (validateOutput === undefined || validateOutput(JSON.parse(value.output))) return undefined;
  const places = validationDetails(validateOutput.errors ?? []).map(
    ({ path, reason }) => `${path === "" ? "the output" : path} ${reason}`,
  );
  return `the output does not fit its schema: ${places.join(", ")}`;
}

function sizeOf(value: Exclude<Returned, { kind: "nothing" }>): number {
  const content = value.kind === "call" ? value.output : value.body;
  return typeof content === "string" ? Buffer.byteLength(content) : content.length;
}
