/** `migrations.ts`: what takes a collection's documents from one form to the next. */
import type { Migration, Step } from "../../compiler/model/migrations.ts";
import type { Collection } from "../../compiler/model/model.ts";
import type { CompiledRule, RulesStage } from "../../compiler/rules/compiled.ts";
import { openObject } from "../../compiler/rules/form/types.ts";
import { checkPrinter } from "../../compiler/rules/print/check.ts";
import {
  array,
  type Code,
  code,
  declared,
  type EmittedFile,
  emitModule,
  given,
  imported,
  importedDefault,
  importedType,
  join,
  lines,
  object,
  property,
} from "../print/code.ts";
import { identifierName } from "../print/identifiers.ts";
import { collectionPath, runtime } from "./names.ts";
import { originComment } from "./rules.ts";

/** None where the collection has no migrations. */
export function migrationModules(
  collection: Collection,
  { migrations: rules }: RulesStage,
): readonly EmittedFile[] {
  const all = (collection.migrations ?? []).map(
    (migration): CompiledMigration => ({ migration, whens: rules.get(migration.path) ?? [] }),
  );
  if (all.length === 0) return [];
  const type = importedType("MigrationDefinition", runtime);
  return [
    emitModule({
      path: `${collectionPath(collection)}/migrations.ts`,
      sources: all.map(({ migration }) => migration.path),
      body: lines([
        ...all.flatMap(conditions),
        code`export const migrations: readonly ${type}[] = ${array(all.map(definition))};\n`,
      ]),
    }),
  ];
}

/** What TypeScript is told of the modules that migrations in TypeScript become. */
export function migrationDeclarations({
  realm,
  database,
  name,
  migrations = [],
}: Collection): readonly EmittedFile[] {
  return migrations.flatMap((each) =>
    each.kind === "steps"
      ? []
      : [
          emitModule({
            path: `${realm}/${database}/${name}/_migrations/${each.number}-${each.name}.d.ts`,
            sources: [each.path],
            body: code`declare const migration: Pick<${importedType("MigrationDefinition", runtime)}, "forward" | "back">;\nexport default migration;\n`,
          }),
        ],
  );
}

interface CompiledMigration {
  readonly migration: Migration;
  /** Of each step. */
  readonly whens: readonly (CompiledRule | undefined)[];
}

/** The conditions of steps that depend on the document. */
function conditions({ migration, whens }: CompiledMigration): readonly Code[] {
  return whens.flatMap((when, at) => {
    if (when === undefined || when.facts.constant !== undefined) return [];
    const { condition } = when.form;
    const check = checkPrinter(condition, {
      document: openObject,
      data: openObject,
      documentMayBeAbsent: false,
    });
    const parameter = code`document: ${importedType("JsonObject", runtime)}`;
    return [
      code`${originComment(when)}const ${conditionName(migration, at)} = (${parameter}): boolean => ${check(condition).code};\n`,
    ];
  });
}

/** Steps are counted from 1. */
function conditionName({ number }: Migration, at: number): Code {
  return declared(`when${number}Step${at + 1}`);
}

function definition({ migration, whens }: CompiledMigration): Code {
  const { number, name } = migration;
  if (migration.kind === "code")
    return object([property("number", number), property("name", name), code`...${migratedBy(migration)}`]);
  const { steps, back } = migration;
  const forward = steps.flatMap((step, at): Code[] => {
    const constant = whens[at] === undefined ? true : whens[at].facts.constant;
    // What never holds is no step.
    if (constant === false) return [];
    const action = actionCode(step);
    return [
      constant === true
        ? action
        : code`${imported("where", runtime)}(${conditionName(migration, at)}, ${action})`,
    ];
  });
  return object([
    property("number", number),
    property("name", name),
    property("forward", inSteps(forward)),
    given(back, (all) => property("back", inSteps(all.map(actionCode)))),
  ]);
}

/** The default export of what is in TypeScript. */
function migratedBy({ number, name }: Migration): Code {
  return importedDefault(identifierName(`${name}-${number}`), `./_migrations/${number}-${name}.js`);
}

function inSteps(all: readonly Code[]): Code {
  return code`${imported("steps", runtime)}(${join(all)})`;
}

function actionCode(step: Step): Code {
  switch (step.kind) {
    case "rename":
      return code`${imported("rename", runtime)}(${step.from}, ${step.to})`;
    case "default":
      return code`${imported("fill", runtime)}(${step.field}, ${step.value})`;
    case "set":
      return code`${imported("assign", runtime)}(${step.field}, ${step.value})`;
    case "convert": {
      const { otherwise } = step;
      const options = given(otherwise, (value) => code`{ otherwise: ${value} }`);
      return code`${imported("convert", runtime)}(${join([code`${step.field}`, code`${step.to}`, options])})`;
    }
    case "map":
      return code`${imported("translate", runtime)}(${step.field}, ${step.values})`;
    case "drop":
      return code`${imported("drop", runtime)}(${step.field})`;
  }
}
