import { ApiError, type Detail } from "../errors.ts";
import { faultless, type JsonBody, readJson, textOf } from "../http/body.ts";
import type { JsonObject } from "../json.ts";
import type { Received } from "../realm/exchange.ts";
import type { CallDefinition } from "../realm/functions.ts";
import { validationDetails } from "../validation/details.ts";

type Sent = Pick<Received, "body" | "headers">;

/**
 * The body of a call; where nothing can be sent, nothing need be.
 * @throws ApiError as `readJson`
 */
export function inputBody({ validateInput }: CallDefinition, sent: Sent): JsonBody {
  if (validateInput === undefined && sent.body === "none") return { value: {}, ...faultless };
  return readJson(sent, "json");
}

/** As it was sent. */
export function inputText({ body }: Sent): string {
  return typeof body === "string" ? "{}" : textOf(body);
}

/** @throws ApiError `validation_error` */
export function requireInput({ validateInput }: CallDefinition, { value, problems }: JsonBody): void {
  const misfits = inputMisfits(validateInput, value);
  if (problems.length === 0 && misfits.length === 0) return;
  const told = new Set(problems.map(({ path }) => path));
  const details = [...problems, ...misfits.filter(({ path }) => !told.has(path))];
  throw new ApiError("validation_error", "The input does not fit its schema.", { details });
}

/**
 * The input of a call that fits its schema.
 * @throws ApiError as `readJson` | `validation_error`
 */
export function readInput(definition: CallDefinition, sent: Sent): JsonObject {
  const body = inputBody(definition, sent);
  requireInput(definition, body);
  return body.value;
}

/** Members named in one answer. */
const named = 100;

/** Where an input does not fit; without a schema it has no members. */
function inputMisfits(validate: CallDefinition["validateInput"], input: JsonObject): readonly Detail[] {
  if (validate !== undefined)
    return validate(input) ? [] : validationDetails(validate.errors ?? [], "", input);
  return Object.keys(input)
    .slice(0, named)
    .map((path) => ({ path, reason: "is not allowed" }));
}
