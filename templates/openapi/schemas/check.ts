import { closed } from "./common.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** What looking for documents that do not fit answers. */
export function checkSchema(pool: SchemaPool, errorDetail: Ref): Ref {
  return pool.add(
    "DocumentCheck",
    closed({
      checked: { type: "integer", minimum: 0 },
      invalid: { type: "integer", minimum: 0 },
      documents: {
        type: "array",
        description: "The first 100 that do not fit.",
        maxItems: 100,
        items: closed({ id: { type: "string" }, details: { type: "array", items: errorDetail } }),
      },
    }),
  );
}
