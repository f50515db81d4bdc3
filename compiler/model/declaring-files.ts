/** The files that collections and functions are declared in, relative to the configuration folder. */
import type { Collection, RealmFunction } from "./model.ts";

/** The `collection.yaml` of a collection, or its `schema.json` where it has none. */
export function settingsFile({ sources, schema }: Pick<Collection, "sources" | "schema">): string {
  return sources.find((path) => path.endsWith("/collection.yaml")) ?? schema.path;
}

export function functionFile({
  realm,
  database,
  name,
}: Pick<RealmFunction, "realm" | "database" | "name">): string {
  return `${realm}/${database}/_func/${name}/function.yaml`;
}
