/** What hid fields of collections that are there no longer: their documents are kept, and may be served again. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { protectionsIn } from "../model/protections.ts";
import type { Manifest } from "./manifest.ts";

/** Settings by the path of their collection.yaml. */
type Settings = Readonly<Record<string, JsonObject>>;

/**
 * The read rules of fields of collections that an output was built with, now or before, and the realms that are built now have
 * no longer; as settings with these alone, sorted by path.
 */
export function retiredSettings(previous: Manifest | undefined, realms: Manifest["realms"]): Settings {
  if (previous === undefined) return {};
  const present = new Set(Object.values(realms).flatMap(({ inputs }) => Object.keys(inputs)));
  const before = [
    ...Object.entries(previous.retired ?? {}),
    ...Object.values(previous.realms).flatMap(({ configuration }) => Object.entries(configuration ?? {})),
  ];
  const hiding = before.flatMap(([path, settings]) => {
    const schema = path.replace(/[^/]+$/, "schema.json");
    if (!path.endsWith("/collection.yaml") || present.has(schema) || !isJsonObject(settings)) return [];
    const fields = protectionsIn(settings).map(({ path, read }) => [path, { read }] as const);
    return fields.length === 0 ? [] : [[path, { fields: Object.fromEntries(fields) }] as const];
  });
  return Object.fromEntries(hiding.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The configuration that an output folder was built from, and what hid fields before, by path. */
export function recordedIn({ realms, retired }: Manifest): Settings {
  const files = Object.values(realms).flatMap(({ configuration }) => Object.entries(configuration ?? {}));
  return Object.fromEntries(
    [...Object.entries(retired ?? {}), ...files].filter(([, value]) => isJsonObject(value)),
  );
}
