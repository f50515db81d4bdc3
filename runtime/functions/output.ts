import type { FunctionDefinition } from "../realm/functions.ts";
import { validationDetails } from "../validation/details.ts";
import type { Result } from "./invocation.ts";

/** A result whose output fits the schema of its definition, or says where it does not: outputs stand in no record. */
export function judgedResult(definition: FunctionDefinition, result: Result): Result {
  if (result.kind !== "returned" || result.value.kind !== "call" || definition.mode !== "call") return result;
  const { validateOutput } = definition;
  if (validateOutput === undefined || validateOutput(JSON.parse(result.value.output))) return result;
  const places = validationDetails(validateOutput.errors ?? []).map(
    ({ path, reason }) => `${path === "" ? "the output" : path} ${reason}`,
  );
  const reason = `the output does not fit its schema: ${places.join(", ")}`;
  return { kind: "failed", code: "invalid_output", reason };
}
