import type { Call } from "../../client/request.ts";

/** What a handler asked of documents, in the words of `ctx`. */
export interface DocumentOperation {
  /** `create`, `list`, … */
  readonly operation: string;
  /** `<database>/<collection>`; of a batch the database alone. */
  readonly collection: string;
}

/** By the route that it goes to. */
export function operationOf({ method, path }: Pick<Call, "method" | "path">): DocumentOperation {
  const [database = "", name = "", third, fourth] = path.split("/").map(decoded);
  if (name === "_batch") return { operation: "batch", collection: database };
  const collection = `${database}/${name}`;
  if (method !== "GET" && method !== "POST") return { operation: changes[method], collection };
  if (third === "_aggregate") return { operation: "aggregate", collection };
  if (method === "POST") return { operation: fourth ?? "create", collection };
  return { operation: third === undefined ? "list" : "get", collection };
}

const changes = { PUT: "replace", PATCH: "patch", DELETE: "delete" } as const;

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
