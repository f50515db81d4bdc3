/** `input` and `output`: what a call takes and returns. Their schemas are read and compared with those of documents. */
import { imported } from "../../../templates/print/code.ts";
import type { DeclaredField, RealmFunction } from "../../model/model.ts";
import type { Schema } from "../../schema/place.ts";
import { functionSetting } from "../setting.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Of a call; absent: it takes the empty object alone. */
    readonly input?: FunctionInput;
    /** Of a call; absent: it returns anything. */
    readonly output?: Schema;
  }
}

/** A schema with what rules see of it. */
export interface FunctionInput {
  readonly schema: Schema;
  readonly fields: readonly DeclaredField[];
  /** Paths where mistakes leave open what stands at and below them. */
  readonly open: readonly string[];
}

export const schemas = functionSetting({
  read: (): Pick<RealmFunction, "input" | "output"> => ({}),
  definition: ({ fn: { input, output } }) => ({
    validateInput: input && imported("validate", "./input.validate.js", "validateInput"),
    validateOutput: output && imported("validate", "./output.validate.js", "validateOutput"),
  }),
  // Whether there are schemas.
  effective: ({ fn: { mode, input, output } }) =>
    mode === "call" ? { input: input !== undefined, output: output !== undefined } : {},
});
