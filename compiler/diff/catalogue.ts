/** Every check of `realmc diff`: what it reports, of which kind, and why. `docs/diff.md` is printed from it. */
import type { Changes, Report as ReportOf } from "../settings/change.ts";
import { collectionSettings } from "../settings/collection.ts";
import { functionSettings } from "../settings/function.ts";
import { realmSettings } from "../settings/realm.ts";
import { collectionChecks } from "./checks/collection.ts";
import { functionChecks } from "./checks/functions.ts";
import { realmChecks } from "./checks/realm.ts";
import { ruleChecks } from "./checks/rules.ts";
import { schemaChecks } from "./checks/schema.ts";

/** Of the settings of a file, those that are about organizations, or the others. */
function ofSettings(
  settings: readonly { readonly chapter: string; readonly changes: Changes }[],
  isOfOrganizations: boolean,
): Changes {
  const own = settings.filter(({ chapter }) => (chapter === "Organizations") === isOfOrganizations);
  return Object.assign({}, ...own.map(({ changes }) => changes));
}

/** By the chapters of the documentation. */
export const chapters: Readonly<Record<string, Changes>> = {
  Realms: { ...realmChecks, ...ofSettings(realmSettings, false) },
  Collections: { ...collectionChecks, ...ofSettings(collectionSettings, false) },
  Organizations: ofSettings([...realmSettings, ...collectionSettings], true),
  Functions: Object.assign({}, functionChecks, ...functionSettings.map(({ changes }) => changes)),
  Schemas: schemaChecks,
  Rules: ruleChecks,
};

/** What is not a setting's own. */
export const checks = {
  ...realmChecks,
  ...collectionChecks,
  ...functionChecks,
  ...schemaChecks,
  ...ruleChecks,
} as const satisfies Changes;

export type Report = ReportOf<typeof checks>;
