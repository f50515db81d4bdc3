import { ApiError, type Detail } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { CollectionDefinition, ValidationError } from "../realm/definition.ts";

/** Details of one answer; a hostile document may fail in as many places as it has members. */
const detailsNamed = 100;

/**
 * Checks a document's own members against the collection's schema, and brings its dates into their stored form.
 * @param problems what was found wrong before
 * @throws ApiError `validation_error` with one detail per failing field (spec: Document endpoints 2)
 */
export function requireValid(
  definition: CollectionDefinition,
  body: JsonObject,
  problems: readonly Detail[],
): void {
  const misfits = misfitsOf(definition, body);
  if (problems.length === 0 && misfits.length === 0) return;
  throw new ApiError("validation_error", "The document does not fit its schema.", {
    details: [...problems, ...misfits].slice(0, detailsNamed),
  });
}

/**
 * Where a document's own members do not fit the collection's schema, one detail per failing field; brings its dates into
 * their stored form.
 */
export function misfitsOf(
  { validate, normalizeDates }: CollectionDefinition,
  body: JsonObject,
): readonly Detail[] {
  return validate(body) ? (normalizeDates?.(body) ?? []) : validationDetails(validate.errors ?? []);
}

/**
 * The errors of a validator as details: one per failing field, in the order of the schema.
 * @param prefix the path of the validated value
 */
export function validationDetails(errors: readonly ValidationError[], prefix = ""): readonly Detail[] {
  const reasons = new Map<string, string[]>();
  const unions = new Set<string>();
  for (const error of causes(errors)) {
    const path = pathOf(error, prefix);
    if (isUnion(error)) unions.add(path);
    const known = reasons.get(path);
    if (known !== undefined) known.push(reasonOf(error));
    else if (reasons.size < detailsNamed) reasons.set(path, [reasonOf(error)]);
  }
  return [...reasons].map(([path, given]) => ({ path, reason: combined(given, unions.has(path)) }));
}

/** Keywords whose error says only that one of several schemas should have matched. */
function isUnion({ keyword }: ValidationError): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

/** Of a union's branches each has its say about a value; else the first reason is enough. */
function combined(reasons: readonly string[], union: boolean): string {
  const [first = "is invalid"] = reasons;
  if (!union) return first;
  const branches = [...new Set(reasons.filter((reason) => reason !== unionReason))];
  return branches.length > 0 ? branches.slice(0, 5).join(", or ") : first;
}

/**
 * Leaves out errors that follow from others: an `if` whose branch fails says so itself, and members count as unknown
 * where the branch of the schema that knows them failed.
 */
function causes(errors: readonly ValidationError[]): readonly ValidationError[] {
  const branching = errors.filter((error) => isUnion(error) || error.keyword === "if");
  if (branching.length === 0) return errors;
  const places = new Set(branching.map(({ instancePath }) => instancePath));
  const found = errors.filter(
    ({ keyword, instancePath }) =>
      keyword !== "if" && !(keyword === "unevaluatedProperties" && places.has(instancePath)),
  );
  return found.length > 0 ? found : errors;
}

/** Where an error is: keywords about a member of an object point at that member. */
function pathOf(error: ValidationError, prefix: string): string {
  const {
    missingProperty,
    additionalProperty,
    unevaluatedProperty,
    propertyName = error.propertyName,
  } = error.params;
  const member = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  const path = pointerPath(error.instancePath, prefix);
  return typeof member === "string" ? join(path, member) : path;
}

/** A JSON pointer as a dot path. */
function pointerPath(pointer: string, prefix: string): string {
  if (pointer === "") return prefix;
  const segments = pointer.slice(1).split("/");
  return join(
    prefix,
    segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~")).join("."),
  );
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

const unionReason = "must match one of the allowed forms";

function reasonOf({ keyword, params, message }: ValidationError): string {
  switch (keyword) {
    case "required":
      return "is required";
    case "dependentRequired":
    case "dependencies":
      return `is required beside ${String(params["property"])}`;
    case "additionalProperties":
    case "unevaluatedProperties":
    case "false schema":
      return "is not allowed";
    case "type":
      return `must be ${list([params["type"]].flat(), " or ")}`;
    case "enum":
      return `must be one of ${list([params["allowedValues"]].flat().map(literal))}`;
    case "const":
      return `must be ${literal(params["allowedValue"])}`;
    case "format":
      return `must be a valid ${String(params["format"])}`;
    case "anyOf":
    case "oneOf":
      return unionReason;
    case "propertyNames":
      return "is not an allowed name";
    default:
      return message ?? "is invalid";
  }
}

function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function list(items: readonly unknown[], separator = ", "): string {
  const shown = items.slice(0, 20).map(String);
  return shown.length < items.length ? `${shown.join(separator)}, …` : shown.join(separator);
}
