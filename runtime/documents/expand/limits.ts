import type { CollectionDefinition, ExpandLimits } from "../../realm/definition.ts";

type Limit = keyof ExpandLimits;

/** How the limits are called in collection.yaml and in the environment. */
const names: readonly { readonly limit: Limit; readonly key: string; readonly setting: string }[] = [
  { limit: "maxDepth", key: "max_depth", setting: "SVC_EXPAND_MAX_DEPTH" },
  { limit: "maxPaths", key: "max_paths", setting: "SVC_EXPAND_MAX_PATHS" },
  { limit: "maxArray", key: "max_array", setting: "SVC_EXPAND_MAX_ARRAY" },
  { limit: "maxDocs", key: "max_docs", setting: "SVC_EXPAND_MAX_DOCS" },
];

export function lowered(instance: ExpandLimits, { expand = {} }: CollectionDefinition): ExpandLimits {
  const least = (limit: Limit) => Math.min(instance[limit], expand[limit] ?? instance[limit]);
  return {
    maxDepth: least("maxDepth"),
    maxPaths: least("maxPaths"),
    maxArray: least("maxArray"),
    maxDocs: least("maxDocs"),
  };
}

/**
 * What collections set above the limits of the instance, which they may only lower (spec: Limits; References): each a
 * message that names the file and the reference or setting. An instance with any must not start.
 */
export function checkExpandLimits(
  definitions: readonly CollectionDefinition[],
  limits: ExpandLimits,
): readonly string[] {
  return definitions.flatMap((definition) => {
    const { realm, database, name, references = {}, expand = {} } = definition;
    const problems: string[] = [];
    const check = (where: string, value: number | undefined, limit: Limit) => {
      if (value === undefined || value <= limits[limit]) return;
      const setting = names.find((each) => each.limit === limit)?.setting;
      problems.push(
        `${realm}/${database}/${name}/collection.yaml: ${where} is ${value}, above the instance's ${setting} of ${limits[limit]}`,
      );
    };
    for (const [reference, { maxExpand }] of Object.entries(references)) {
      check(`references.${reference}.max_expand`, maxExpand, "maxArray");
    }
    for (const { limit, key } of names) check(`expand.${key}`, expand[limit], limit);
    return problems;
  });
}
