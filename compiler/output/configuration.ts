/** `configuration.json`: what the output was built from, and what hid fields of collections that are there no longer. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { jsonText } from "../../templates/print/format.ts";
import { protectionsIn } from "../model/protections.ts";
import type { Manifest } from "./manifest.ts";

/** Files of a configuration by their paths, as values with their members sorted. */
export type Files = Readonly<Record<string, JsonObject>>;

export interface RecordedConfiguration {
  /** By realm. */
  readonly realms: Readonly<Record<string, Files>>;
  /**
   * Read rules that hid fields of collections which are there no longer, as settings by the path of their collection.yaml: they
   * count when the collection comes back, since its documents are kept. Absent where there are none.
   */
  readonly retired?: Files;
  /**
   * Schemas, without the files around them, by the paths of those that refuse what they took: documents may be in their form
   * for as long as no migration follows. Absent where there are none.
   */
  readonly unmigrated?: Files;
}

export const configurationPath = "configuration.json";

export function configurationFile(configuration: RecordedConfiguration): EmittedFile {
  return { path: configurationPath, text: jsonText(configuration) };
}

/** What `value` records; of what is no such record, nothing. */
export function recordedConfiguration(value: unknown): RecordedConfiguration {
  const { realms, retired, unmigrated } = isJsonObject(value) ? value : {};
  return {
    realms: isJsonObject(realms)
      ? Object.fromEntries(Object.entries(realms).map(([name, files]) => [name, filesIn(files)]))
      : {},
    ...(retired === undefined ? {} : { retired: filesIn(retired) }),
    ...(unmigrated === undefined ? {} : { unmigrated: filesIn(unmigrated) }),
  };
}

function filesIn(value: unknown): Files {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([path, file]) => (isJsonObject(file) ? [[path, file] as const] : [])),
  );
}

/** Every file that an output was built from, and what hid fields before. */
export function recordedFiles({ realms, retired }: RecordedConfiguration = { realms: {} }): Files {
  return Object.fromEntries(
    [retired ?? {}, ...Object.values(realms)].flatMap((files) => Object.entries(files)),
  );
}

/**
 * The read rules of fields of collections that an output was built with, now or before, and the realms that are built now have
 * no longer; as settings with these alone, sorted by path.
 */
export function retiredSettings(previous: RecordedConfiguration, realms: Manifest["realms"]): Files {
  const present = new Set(Object.values(realms).flatMap(({ inputs }) => Object.keys(inputs)));
  const hiding = Object.entries(recordedFiles(previous)).flatMap(([path, settings]) => {
    const schema = path.replace(/[^/]+$/, "schema.json");
    if (!path.endsWith("/collection.yaml") || present.has(schema)) return [];
    const fields = protectionsIn(settings).map(({ path, read }) => [path, { read }] as const);
    return fields.length === 0 ? [] : [[path, { fields: Object.fromEntries(fields) }] as const];
  });
  return Object.fromEntries(hiding.sort(([a], [b]) => (a < b ? -1 : 1)));
}
