/** The diagnostics that are of no setting: their codes, by chapters of the documentation. */

import { accessCodes } from "./codes/access.ts";
import { collectionCodes } from "./codes/collection.ts";
import { fileCodes } from "./codes/files.ts";
import { functionCodes } from "./codes/functions.ts";
import { indexCodes } from "./codes/indexes.ts";
import { migrationCodes } from "./codes/migrations.ts";
import { organizationCodes } from "./codes/organizations.ts";
import { ruleTestCodes } from "./codes/rule-tests.ts";
import { ruleCodes } from "./codes/rules.ts";
import { schemaCodes } from "./codes/schema.ts";
import { seedCodes } from "./codes/seeds.ts";
import { treeCodes } from "./codes/tree.ts";
import { valueCodes } from "./codes/values.ts";
import { type Codes, diagnoser, type ParametersOf } from "./diagnose.ts";

/** In the order of the documentation; settings add their own codes. */
export const chapters = {
  "The folder": treeCodes,
  "Files and syntax": fileCodes,
  "Keys and values": valueCodes,
  "realm.yaml": {},
  "schema.json": schemaCodes,
  "indexes.json": indexCodes,
  "collection.yaml": collectionCodes,
  References: {},
  Aggregation: {},
  Organizations: organizationCodes,
  Functions: functionCodes,
  Migrations: migrationCodes,
  Seeds: seedCodes,
  Rules: { ...ruleCodes, ...accessCodes },
  "Rule tests": ruleTestCodes,
} as const satisfies Readonly<Record<string, Codes>>;

export const catalogue = {
  ...treeCodes,
  ...fileCodes,
  ...valueCodes,
  ...schemaCodes,
  ...indexCodes,
  ...collectionCodes,
  ...organizationCodes,
  ...functionCodes,
  ...migrationCodes,
  ...seedCodes,
  ...ruleCodes,
  ...accessCodes,
  ...ruleTestCodes,
} as const satisfies Codes;

export type Code = keyof typeof catalogue;

export type Parameters<C extends Code> = ParametersOf<(typeof catalogue)[C]>;

export const diagnose = diagnoser(catalogue);
