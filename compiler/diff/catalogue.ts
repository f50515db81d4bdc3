/** Every check of `realmc diff`: what it reports, of which kind, and why. `docs/diff.md` is printed from it. */
import { fill } from "../diagnostics/catalogue.ts";
import type { ParameterNames } from "../diagnostics/entry.ts";
import type { Change, CheckEntry } from "./change.ts";
import { collectionChecks } from "./checks/collection.ts";
import { organizationChecks } from "./checks/organizations.ts";
import { realmChecks } from "./checks/realm.ts";
import { ruleChecks } from "./checks/rules.ts";
import { schemaChecks } from "./checks/schema.ts";

/** In the order of the documentation. */
export const chapters = {
  Realms: realmChecks,
  Collections: collectionChecks,
  Organizations: organizationChecks,
  Schemas: schemaChecks,
  Rules: ruleChecks,
} as const satisfies Readonly<Record<string, Readonly<Record<string, CheckEntry>>>>;

export const checks = {
  ...realmChecks,
  ...collectionChecks,
  ...organizationChecks,
  ...schemaChecks,
  ...ruleChecks,
} as const satisfies Readonly<Record<string, CheckEntry>>;

export type Check = keyof typeof checks;

/** What the message of a check needs. */
export type Parameters<C extends Check> = Readonly<
  Record<ParameterNames<(typeof checks)[C]["message"]>, string | number>
>;

/** Notes a change at a place of the realm that is compared. */
export type Report = <C extends Check>(check: C, where: string, parameters: Parameters<C>) => void;

/** A report that adds to `changes`. */
export function reporter(realm: string, changes: Change[]): Report {
  return (check, where, parameters) => {
    const { kind, message } = checks[check];
    changes.push({ kind, realm, where, message: fill(message, parameters), check });
  };
}
