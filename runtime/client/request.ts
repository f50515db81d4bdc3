/** What an operation sends, whatever way it takes. */

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Id of the user for whom an API key acts. */
  onBehalfOf?: string | undefined;
  /** In place of the client's own. */
  timeout?: number | undefined;
  retries?: number | undefined;
}

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/v1/{realm}/`. */
  path: string;
  /** What is undefined is left out; lists are joined by commas. */
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string | undefined>>;
  options?: RequestOptions | undefined;
  /** Sending it twice does what sending it once does. */
  repeatable?: boolean;
  /** Its answer may be other JSON than an object. */
  isAnyJson?: boolean;
}

/** A call as HTTP has it. */
interface HttpRequest {
  readonly method: Call["method"];
  /** Below `/v1/{realm}/`. */
  readonly path: string;
  /** Without `?`. */
  readonly search: string;
  readonly headers: Record<string, string>;
  /** JSON text. */
  readonly body: string | undefined;
}

/** @throws RangeError for an id that no document has, where the path would lead elsewhere */
export function requestOf({ method, path, query, body, headers, options }: Call): HttpRequest {
  // These segments would be taken out on the way.
  if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) throw new RangeError(`${method} ${path}: no such id`);
  const media = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const type = { "Content-Type": body === undefined ? undefined : media };
  return {
    method,
    path,
    search: queryText(query),
    headers: merged(options?.headers, headers, type),
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function queryText(query: Call["query"] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    parameters.set(name, parameterText(value));
  }
  return parameters.toString();
}

function parameterText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Each name once, whatever its case: as the last says that gives it a value. */
export function merged(...all: readonly (Call["headers"] | undefined)[]): Record<string, string> {
  const given = new Map<string, readonly [string, string]>();
  for (const [name, value] of all.flatMap((headers = {}) => Object.entries(headers)))
    if (value !== undefined) given.set(name.toLowerCase(), [name, value]);
  return Object.fromEntries(given.values());
}
