/** Reads a migration's steps, and says what in them cannot be. */
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { declaredFields } from "../model/fields.ts";
import { object, objectOf, oneOf, text } from "../model/given.ts";
import { fileAt, isServerOwned } from "../model/known-fields.ts";
import type { Action, Step, StepsMigration } from "../model/migrations.ts";
import type { Collection } from "../model/model.ts";
import { ruleAt } from "../model/rule-source.ts";
import type { Schema } from "../schema/place.ts";
import type { MigrationFile } from "../source/migration-files.ts";
import { locate, nodeAt, type SourceFile } from "../source/source.ts";
import { wayBack } from "./back.ts";

/** What validation says is wrong is left out. @param from what documents were before, where that is known */
export function readSteps({ number, name }: MigrationFile, file: SourceFile, from?: Schema): StepsMigration {
  const steps = stepsOf(file).flatMap((each, at): Step[] => {
    const action = actionOf(each);
    const when = ruleAt(file, ["steps", at, "when"], "when");
    return action === undefined ? [] : [{ ...action, ...(when === undefined ? {} : { when }) }];
  });
  const declared = from === undefined ? [] : declaredFields(from).fields;
  const back = wayBack(steps, (field) => declared.find(({ path }) => path === field)?.values);
  return {
    kind: "steps",
    number,
    name,
    path: file.path,
    span: locate(file, ["steps"]),
    steps,
    ...(back === undefined ? {} : { back }),
    ...(from === undefined ? {} : { from }),
  };
}

function stepsOf({ value }: SourceFile): readonly JsonObject[] {
  return Array.isArray(value.steps) ? value.steps.map((step: JsonValue) => objectOf(step)) : [];
}

const converted = oneOf("number", "integer", "string", "boolean", "date", "date-time");

const readers: Readonly<Record<Action["kind"], (given: JsonObject) => Action | undefined>> = {
  rename: ({ from, to }) =>
    typeof from === "string" && typeof to === "string" ? { kind: "rename", from, to } : undefined,
  default: (given) => valued("default", given),
  set: (given) => valued("set", given),
  convert: ({ field, to, else: otherwise }) => {
    const type = converted(to ?? null);
    if (typeof field !== "string" || type === undefined) return undefined;
    return { kind: "convert", field, to: type, ...(otherwise === undefined ? {} : { otherwise }) };
  },
  map: ({ field, values }) =>
    typeof field === "string" && isJsonObject(values) ? { kind: "map", field, values } : undefined,
  drop: ({ field }) => (typeof field === "string" ? { kind: "drop", field } : undefined),
};

function valued(kind: "default" | "set", { field, value }: JsonObject): Action | undefined {
  return typeof field === "string" && value !== undefined ? { kind, field, value } : undefined;
}

function kindsOf(step: JsonObject): readonly Action["kind"][] {
  const kinds: readonly Action["kind"][] = ["rename", "default", "convert", "map", "drop", "set"];
  return kinds.filter((kind) => step[kind] !== undefined);
}

function actionOf(step: JsonObject): Action | undefined {
  const [kind] = kindsOf(step);
  return kind === undefined ? undefined : readers[kind](objectOf(step[kind]));
}

/** What is wrong with steps whose form is right. */
export function stepProblems(file: SourceFile, collection: Collection): readonly Diagnostic[] {
  return stepsOf(file).flatMap((step, at) => {
    if (nodeAt(file, ["steps", at])?.kind !== "object") return [];
    const kinds = kindsOf(step);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const problem = kind === undefined ? "does nothing" : `does ${kinds.join(" and ")}`;
      // Beside a key that is no step's, that says it all.
      const isTold = kind === undefined && Object.keys(step).some((key) => key !== "when");
      return isTold ? [] : [diagnose("migration-step", locate(file, ["steps", at], "key"), { problem })];
    }
    const given = object(step[kind] ?? null) ?? {};
    return ["field", "from", "to"].flatMap((key) => {
      const field = kind === "convert" && key === "to" ? undefined : text(given[key] ?? null);
      if (field === undefined) return [];
      const problem = problemWith(field, collection) ?? (key === "to" ? unmoved(given) : undefined);
      if (problem === undefined) return [];
      return [diagnose("migration-field", locate(file, ["steps", at, kind, key]), { field, problem })];
    });
  });
}

function problemWith(field: string, collection: Collection): string | undefined {
  if (isServerOwned(field)) return "it belongs to the server";
  const inFile = fileAt(collection, field);
  return inFile === undefined ? undefined : `'${inFile}' is a file, which is uploaded apart`;
}

function unmoved({ from, to }: JsonObject): string | undefined {
  return from === to ? "it is what the field is called already" : undefined;
}
