import type { FunctionDefinition } from "../realm/functions.ts";
import { validationDetails } from "../validation/details.ts";
import type { Outcome } from "./invocation.ts";

/** An outcome whose output fits the schema of its definition, or says where it does not: outputs stand in no record. */
export function judgedOutcome(definition: FunctionDefinition, outcome: Outcome): Outcome {
  const { result } = outcome;
  if (result.kind !== "returned" || result.value.kind !== "call" || definition.mode !== "call")
    return outcome;
  const { validateOutput } = definition;
  if (validateOutput === undefined || validateOutput(JSON.parse(result.value.output))) return outcome;
  const places = validationDetails(validateOutput.errors ?? []).map(
    ({ path, reason }) => `${path === "" ? "the output" : path} ${reason}`,
  );
  const reason = `the output does not fit its schema: ${places.join(", ")}`;
  return { ...outcome, result: { kind: "failed", code: "invalid_output", reason } };
}
