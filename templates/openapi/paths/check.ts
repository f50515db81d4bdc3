import { type Build, needlessBodyErrors, type Paths } from "../build.ts";
import type { Ref } from "../schemas/pool.ts";
import type { Described } from "./described.ts";
import type { Way } from "./way.ts";

/** Administrators' own operation on a collection. @param checked the schema of its answer */
export function checkPaths(
  build: Build,
  way: Way,
  { collection: { database, name }, stem, tag }: Described,
  checked: Ref,
): Paths {
  return {
    [`${way.base}/${database}/${name}/_check`]: build.path(way.parameters, {
      post: build.operation({
        id: way.id(`check${stem}`),
        tag: way.tag(tag),
        summary: `Find documents of ${name} that do not fit the schema`,
        about: "Deleted ones too. One check at a time in a realm.",
        answers: { 200: { name: "Checked", description: "What was found.", schema: checked } },
        errors: needlessBodyErrors,
        admits: way.admits("keys"),
      }),
    }),
  };
}
