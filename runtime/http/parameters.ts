import { ApiError, type Detail } from "../errors.ts";

const none: ReadonlyMap<string, string> = new Map();

/** Problems named in one answer; the header limit bounds what is looked at. */
const problemsNamed = 50;

/**
 * The query parameters of a request, decoded. Each may appear at most once (spec: Common request rules 4).
 *
 * @param search the raw query string without `?`
 * @param known the names that the route takes
 * @param judge says what is wrong with the values, so that one answer names all problems
 * @throws ApiError `invalid_query` with a detail per problem
 */
export function parameters(
  search: string,
  known: readonly string[],
  judge: (values: ReadonlyMap<string, string>) => readonly Detail[] = () => [],
): ReadonlyMap<string, string> {
  if (search === "") return none;
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
      problems.set(name, "unknown parameter");
    } else if (values.has(name)) {
      problems.set(name, "must appear at most once");
    } else if (value.includes("\0")) {
      // No stored string holds one, and not every engine reads on behind it.
      problems.set(name, "must not contain NUL");
    } else {
      values.set(name, value);
    }
  }
  const details = [...[...problems].map(([path, reason]) => ({ path, reason })), ...judge(values)];
  if (details.length > 0) throw invalidQuery(details);
  return values;
}

function invalidQuery(details: readonly Detail[]): ApiError {
  return new ApiError("invalid_query", "The query parameters are invalid.", {
    details: details.slice(0, problemsNamed),
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.includes("+") ? text.replaceAll("+", " ") : text);
  } catch {
    return undefined;
  }
}
