/** What the operations that write documents have in common, and those that are asked about organizations. */

import type { Collection } from "../../../compiler/model/model.ts";
import type { ParameterName } from "../../../runtime/contract/parameters.ts";
import type { Answer } from "../build.ts";
import type { CollectionSchemas } from "../schemas/collection.ts";

/** What writes to a document that is there may ask of it. */
export const conditions = ["IfMatch", "IfNoneMatchOfWrite"] as const;

/** What writes to a document that is there answer. */
export function stored({ document }: CollectionSchemas, stem: string): Answer {
  return {
    name: `${stem}Stored`,
    description: "The document as it is now.",
    schema: document,
    headers: { ETag: "ETag" },
  };
}

/** Parameters about organizations, where documents belong to any. */
export function organizationParameters(
  { organization }: Collection,
  { org, team }: { readonly org: ParameterName; readonly team?: ParameterName },
): readonly ParameterName[] {
  if (organization === undefined) return [];
  return organization.teams === undefined || team === undefined ? [org] : [org, team];
}
