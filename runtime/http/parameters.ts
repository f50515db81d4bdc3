import { ApiError, type Detail } from "../errors.ts";
import { isOperatorName, type OperatorName, whereOperators } from "../filter/operators.ts";
import { didYouMean } from "../suggest.ts";

const none: ReadonlyMap<string, string> = new Map();

/** Problems named in one answer; the header limit bounds what is looked at. */
export const queryProblemsNamed = 50;

/** A query string as it was read: the values of parameters that are well formed, and what is wrong with the others. */
export interface ReadParameters {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly Detail[];
}

/**
 * The query parameters of a request, decoded. Each may appear at most once (spec: Common request rules 4).
 *
 * @param search the raw query string without `?`
 * @param known the names that the route takes
 * @param judge says what is wrong with the values, so that one answer names all problems
 * @param parsed names among them whose values have a reader of their own, which refuses NUL by another code
 * @throws ApiError `invalid_query` with a detail per problem
 */
export function parameters(
  search: string,
  known: readonly string[],
  judge: (values: ReadonlyMap<string, string>) => readonly Detail[] = () => [],
  parsed: readonly string[] = [],
): ReadonlyMap<string, string> {
  if (search === "") return none;
  const { values, problems } = readParameters(search, known, parsed);
  refuseProblems([...problems, ...judge(values)]);
  return values;
}

/** As {@link parameters}, for routes that answer the problems together with those that they find themselves. */
export function readParameters(
  search: string,
  known: readonly string[],
  parsed: readonly string[],
): ReadParameters {
  const values = new Map<string, string>();
  const problems = new Map<string, string>();
  for (const piece of search.split("&")) {
    if (piece === "") continue;
    const at = piece.indexOf("=");
    const rawName = at < 0 ? piece : piece.slice(0, at);
    const name = decoded(rawName);
    const value = at < 0 ? "" : decoded(piece.slice(at + 1));
    if (name === undefined || value === undefined) {
      problems.set(name ?? rawName, "malformed percent-encoding");
    } else if (!known.includes(name)) {
      problems.set(name, problems.size < queryProblemsNamed ? unknown(name, value, known) : unknownReason);
    } else if (values.has(name)) {
      problems.set(name, "must appear at most once");
    } else if (value.includes("\0") && !parsed.includes(name)) {
      // No stored string holds one, and not every engine reads on behind it.
      problems.set(name, "must not contain NUL");
    } else {
      values.set(name, value);
    }
  }
  return { values, problems: [...problems].map(([path, reason]) => ({ path, reason })) };
}

const unknownReason = "unknown parameter";

/** What others call a parameter. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  order_by: ["sort", "sort_by", "sortby", "order", "orderby"],
  limit: ["per_page", "page_size", "pagesize", "top", "take", "size"],
  skip: ["offset", "page", "start"],
  after: ["cursor", "page_token", "starting_after"],
  where: ["filter", "query", "q"],
};

/** The reason, with what was meant: a parameter, or a condition on a field. */
function unknown(name: string, value: string, known: readonly string[]): string {
  if (name.length < 3 && name !== "q") return unknownReason;
  const bracketed = known.includes("where") ? bracketedWhere(name, value) : undefined;
  if (bracketed !== undefined) return `${unknownReason}; where is one JSON object: ${bracketed}`;
  const lower = name.toLowerCase();
  const other = known.find((each) => Object.hasOwn(otherNames, each) && otherNames[each]?.includes(lower));
  const hint = other === undefined ? didYouMean(name, known) : `did you mean '${other}'?`;
  if (hint !== undefined) return `${unknownReason}; ${hint}`;
  // A field's name and a value, as other services filter.
  const isCondition =
    /^[A-Za-z][\w.-]{0,63}$/.test(name) && value.length <= longestValue && known.includes("where");
  return isCondition
    ? `${unknownReason}; fields are filtered by where={${JSON.stringify(name)}:${literal(value)}}`
    : unknownReason;
}

/** Characters of a value that a reason repeats. */
const longestValue = 100;

/**
 * The condition that a parameter of another form says: `where={"count":{"$gte":3}}` for `where[count][gte]=3`; undefined for
 * a name of no such form.
 */
function bracketedWhere(name: string, value: string): string | undefined {
  const [, first = "", brackets = ""] = /^(\w+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  if (first !== "where" && !otherNames["where"]?.includes(first.toLowerCase())) return undefined;
  const steps = brackets.slice(1, -1).split("][");
  const operator = `$${steps.at(-1)?.replace(/^\$/, "")}`;
  const isOperator = steps.length > 1 && isOperatorName(operator);
  const path = (isOperator ? steps.slice(0, -1) : steps).join(".");
  if (value.length > longestValue || !/^[A-Za-z_][\w.-]{0,99}$/.test(path))
    return 'where={"<field>":<value>}';
  const condition = isOperator ? `{"${operator}":${operand(operator, value)}}` : literal(value);
  return `where={${JSON.stringify(path)}:${condition}}`;
}

/** A list is written with commas. */
function operand(operator: OperatorName, value: string): string {
  const { takes } = whereOperators[operator];
  if (takes === "values" || takes === "range") return `[${value.split(",").map(literal).join(",")}]`;
  return takes === "part" || takes === "pattern" ? JSON.stringify(value) : literal(value);
}

function literal(value: string): string {
  return /^(?:true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)$/.test(value) ? value : JSON.stringify(value);
}

/** @throws ApiError with a detail per problem, if there is one */
export function refuseProblems(
  problems: readonly Detail[],
  code: "invalid_query" | "invalid_aggregate" = "invalid_query",
): void {
  if (problems.length === 0) return;
  throw new ApiError(code, "The query parameters are invalid.", {
    details: problems.slice(0, queryProblemsNamed),
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.includes("+") ? text.replaceAll("+", " ") : text);
  } catch {
    return undefined;
  }
}
