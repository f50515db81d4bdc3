/** Why a call of a function is allowed or refused. */
import { permits } from "../../runtime/auth/scopes.ts";
import { type Access, refusal } from "../../runtime/documents/access.ts";
import type { ApiError, Detail } from "../../runtime/errors.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { validationDetails } from "../../runtime/validation/details.ts";
import type { RealmFunction } from "../model/model.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import { holds } from "../rules/form/evaluate.ts";
import { schemaValidator } from "../schema/validator.ts";
import { type Decision, type Judged, judgedRule } from "./decision.ts";

export interface Called {
  readonly fn: RealmFunction;
  /** Undefined: none is declared. */
  readonly rule: CompiledRule | undefined;
}

/** In the server's order: scopes, what no input could change, the input's schema, the rule. `status` of who may: 200. */
export function decideCall({ fn, rule }: Called, access: Access, input: JsonObject): Decision {
  const { database, name, invoke } = fn;
  const { context, scopes } = access;
  if (!permits(scopes, "call", database, name))
    return denied(refusal(access), `the scopes of the key do not grant it on ${database}/${name}`);
  if (context === undefined)
    return {
      ...blank,
      decision: "allow",
      status: 200,
      because: "no rule is asked: an API key does what its scopes grant",
    };
  if (rule === undefined || invoke === undefined)
    return denied(refusal(access), "there is no invoke: nobody may");
  // There is no document.
  const world = { context, document: {}, data: input };
  const judged = judgedRule("invoke", invoke, rule, world);
  if (!holds(rule.form.possible, { context, document: undefined, data: undefined }))
    return denied(refusal(access), "invoke refuses", judged);
  const misfits = misfitsOf(fn, input);
  if (misfits.length > 0)
    return {
      ...blank,
      decision: "deny",
      status: 400,
      code: "validation_error",
      because: "The input does not fit its schema.",
      details: misfits,
    };
  return holds(rule.form.condition, world)
    ? { ...blank, ...judged, decision: "allow", status: 200, because: "invoke holds" }
    : denied(refusal(access), "invoke refuses", judged);
}

const blank = { rule: null, deciding: [], values: [], hidden: [], hiding: [] } as const;

function denied({ status, code }: ApiError, because: string, judged?: Judged): Decision {
  return { ...blank, ...judged, decision: "deny", status, code, because };
}

function misfitsOf({ input }: RealmFunction, value: JsonObject): readonly Detail[] {
  if (input === undefined) return [];
  const validate = schemaValidator(input.schema);
  return validate(value) ? [] : validationDetails(validate.errors ?? [], "", value);
}
