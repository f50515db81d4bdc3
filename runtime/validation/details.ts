import { ApiError, type Detail } from "../errors.ts";
import { lacksZone, zoneReason } from "../filter/dates.ts";
import type { JsonObject } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { ValidationError } from "../realm/validator.ts";

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
  const told = new Set(problems.map(({ path }) => path));
  throw new ApiError("validation_error", "The document does not fit its schema.", {
    details: [...problems, ...misfits.filter(({ path }) => !told.has(path))].slice(0, detailsNamed),
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
  return validate(body) ? (normalizeDates?.(body) ?? []) : validationDetails(validate.errors ?? [], "", body);
}

/**
 * The errors of a validator as details: one per failing field, in the order of the schema.
 * @param prefix the path of the validated value
 * @param value what was validated, where reasons may look at it
 */
export function validationDetails(
  errors: readonly ValidationError[],
  prefix = "",
  value?: JsonObject,
): readonly Detail[] {
  const reasons = new Map<string, string[]>();
  const unions = new Set<string>();
  for (const error of causes(errors)) {
    const path = pathOf(error, prefix);
    if (isUnion(error) && !isAmbiguous(error)) unions.add(path);
    const known = reasons.get(path);
    if (known !== undefined) known.push(reasonOf(error, value));
    else if (reasons.size < detailsNamed) reasons.set(path, [reasonOf(error, value)]);
  }
  return [...reasons].map(([path, given]) => ({ path, reason: combined(given, unions.has(path)) }));
}

/** Keywords whose error says only that one of several schemas should have matched. */
function isUnion({ keyword }: ValidationError): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

/** A `oneOf` that several branches match. */
function isAmbiguous({ keyword, params }: ValidationError): boolean {
  return keyword === "oneOf" && Array.isArray(params["passingSchemas"]);
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

const ambiguousReason = "matches more than one of the allowed forms, and must match only one";
const unionReason = "must match one of the allowed forms";

function reasonOf(error: ValidationError, whole: JsonObject | undefined): string {
  const { keyword, params, message } = error;
  const { limit } = params;
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
      return formatReason(String(params["format"]), valueAt(whole, error.instancePath));
    case "pattern":
      return `must match the pattern ${literal(params["pattern"])}`;
    case "minLength":
      return `must have at least ${counted(limit, "character")}`;
    case "maxLength":
      return `must have at most ${counted(limit, "character")}`;
    case "minItems":
      return `must have at least ${counted(limit, "element")}`;
    case "maxItems":
      return `must have at most ${counted(limit, "element")}`;
    case "minProperties":
      return `must have at least ${counted(limit, "member")}`;
    case "maxProperties":
      return `must have at most ${counted(limit, "member")}`;
    case "minimum":
      return `must be at least ${String(limit)}`;
    case "maximum":
      return `must be at most ${String(limit)}`;
    case "exclusiveMinimum":
      return `must be greater than ${String(limit)}`;
    case "exclusiveMaximum":
      return `must be less than ${String(limit)}`;
    case "multipleOf":
      return `must be a multiple of ${String(params["multipleOf"])}`;
    case "uniqueItems":
      return `must not hold the same element twice (${list([params["i"], params["j"]], " and ")})`;
    case "contains":
      return "holds too few, or too many, of the elements that are asked for";
    case "not":
      return "is of a form that is excluded";
    case "anyOf":
    case "oneOf":
      return isAmbiguous(error) ? ambiguousReason : unionReason;
    case "propertyNames":
      return "is not an allowed name";
    default:
      return message ?? "is invalid";
  }
}

/** `1 character`, `3 characters`. */
function counted(limit: unknown, unit: string): string {
  return `${String(limit)} ${unit}${limit === 1 ? "" : "s"}`;
}

function formatReason(format: string, value: unknown): string {
  return format === "date-time" && typeof value === "string" && lacksZone(value)
    ? zoneReason
    : `must be a valid ${format}`;
}

/** What a JSON pointer leads to; undefined where nothing does. */
function valueAt(whole: JsonObject | undefined, pointer: string): unknown {
  const segments = pointer.split("/").slice(1);
  return segments.reduce<unknown>((inside, segment) => {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof inside === "object" && inside !== null && Object.hasOwn(inside, name)
      ? Object.getOwnPropertyDescriptor(inside, name)?.value
      : undefined;
  }, whole);
}

function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function list(items: readonly unknown[], separator = ", "): string {
  const shown = items.slice(0, 20).map(String);
  return shown.length < items.length ? `${shown.join(separator)}, …` : shown.join(separator);
}
