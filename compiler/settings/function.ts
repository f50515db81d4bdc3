/** The settings of function.yaml, in the order in which administrators read them. */
import type { JsonObject } from "../../runtime/json.ts";
import { Given, publishedSchemas } from "../model/given.ts";
import type { SourceFile } from "../source/source.ts";
import { idempotency, retry } from "./function/calls.ts";
import { invoke } from "./function/invoke.ts";
import { limits } from "./function/limits.ts";
import { mode } from "./function/mode.ts";
import { reach } from "./function/reach.ts";
import { schedule } from "./function/schedule.ts";
import { schemas } from "./function/schemas.ts";
import { scopes } from "./function/scopes.ts";
import { triggers } from "./function/triggers.ts";
import { type FunctionSetting, type Merged, merged } from "./setting.ts";

const table = [mode, invoke, schemas, idempotency, triggers, schedule, retry, limits, scopes, reach];

export const functionSettings: readonly FunctionSetting[] = table;

type Slots = Merged<ReturnType<(typeof table)[number]["read"]>>;

/** What function.yaml makes of the model. @param database of the function; `schema`: of function.yaml */
export function functionSlots(
  file: SourceFile,
  database: string,
  schema: JsonObject = publishedSchemas.function,
): Slots {
  const from = { file, given: new Given(file.value, schema), database };
  return merged(table.map(({ read }) => read(from)));
}
