import type { Database } from "../../../compiler/model/model.ts";
import { createErrors, updateErrors } from "../../../compiler/model/operation-errors.ts";
import type { ParameterName } from "../../../runtime/contract/parameters.ts";
import { capitalized } from "../../print/names.ts";
import type { Build, Paths } from "../build.ts";
import type { BatchSchemas } from "../schemas/batch.ts";
import { accessBy } from "../security.ts";
import type { Described } from "./described.ts";
import type { Way } from "./way.ts";
import { organizationParameters } from "./writes.ts";

/** spec: Batch request and response, for one database. */
export function batchPaths(
  build: Build,
  way: Way,
  database: Database,
  collections: readonly Described[],
  { request, response }: BatchSchemas,
): Paths {
  const { realm } = build;
  const accesses = collections.flatMap(({ rules }) => [
    accessBy(rules.create),
    accessBy(rules.read, rules.update),
    accessBy(rules.read, rules.delete),
  ]);
  const widest = (["anyone", "users"] as const).find((access) => accesses.includes(access)) ?? "keys";
  return {
    [`${way.base}/${database.name}/_batch`]: build.path(way.parameters, {
      post: build.operation({
        id: way.id(`batch${capitalized(database.name)}`),
        tag: way.tag(database.name),
        summary: `Write several documents of ${database.name} at once`,
        about:
          "All operations are applied, in order, or none. An error's `details` name the operation by its position, from 0.",
        parameters: [...batchParameters(collections), ...(realm.auth ? (["IdempotencyKey"] as const) : [])],
        body: { schema: request, shared: true },
        answers: {
          200: {
            name: `${capitalized(database.name)}Batch`,
            description: "What the operations left behind.",
            schema: response,
            headers: { ...(realm.auth && { "Idempotent-Replayed": "IdempotentReplayed" as const }) },
          },
        },
        errors: collections.flatMap(({ collection }) => [
          ...createErrors(build.realm, collection),
          ...updateErrors(collection),
        ]),
        admits: way.admits(widest),
      }),
    }),
  };
}

function batchParameters(collections: readonly Described[]): readonly ParameterName[] {
  const all = collections.flatMap(({ collection }) =>
    organizationParameters(collection, { org: "OrgOfBatch", team: "TeamOfBatch" }),
  );
  return [...new Set(all)].sort();
}
