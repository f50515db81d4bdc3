import type { CollectionDefinition, ExpandLimits } from "../../realm/definition.ts";

/** What the limits are called in collection.yaml, and in the environment behind `SVC_EXPAND_`. */
export const limitKeys = [
  ["maxDepth", "max_depth"],
  ["maxPaths", "max_paths"],
  ["maxArray", "max_array"],
  ["maxDocs", "max_docs"],
] as const satisfies readonly (readonly [keyof ExpandLimits, string])[];

export function lowered(instance: ExpandLimits, { expand = {} }: CollectionDefinition): ExpandLimits {
  const least = (limit: keyof ExpandLimits) => Math.min(instance[limit], expand[limit] ?? instance[limit]);
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
    const check = (
      where: string,
      value: number | undefined,
      [limit, key]: (typeof limitKeys)[number],
    ): void => {
      if (value === undefined || value <= limits[limit]) return;
      const setting = `SVC_EXPAND_${key.toUpperCase()}`;
      problems.push(
        `${realm}/${database}/${name}/collection.yaml: ${where} is ${value}, above the instance's ${setting} of ${limits[limit]}`,
      );
    };
    for (const [reference, { maxExpand }] of Object.entries(references)) {
      check(`references.${reference}.max_expand`, maxExpand, ["maxArray", "max_array"]);
    }
    for (const each of limitKeys) check(`expand.${each[1]}`, expand[each[0]], each);
    return problems;
  });
}
