/** `idempotency` and `retry`: whether a call may be repeated, and how often a run is tried. */
import type { CallDefinition } from "../../../runtime/realm/functions.ts";
import { number, oneOf } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import { functionSetting } from "../setting.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Of calls. */
    readonly idempotency: CallDefinition["idempotency"];
    /** Of events and queued calls. */
    readonly attempts: number;
  }
}

export const idempotency = functionSetting({
  read: ({ given }): Pick<RealmFunction, "idempotency"> => ({
    idempotency: given.read("idempotency", oneOf("required", "optional", "none")),
  }),
  definition: ({ fn }) => (fn.mode === "call" ? { idempotency: fn.idempotency } : {}),
  effective: ({ fn }) => (fn.mode === "call" ? { idempotency: fn.idempotency } : {}),
});

export const retry = functionSetting({
  read: ({ given }): Pick<RealmFunction, "attempts"> => ({
    attempts: given.in("retry").read("attempts", number),
  }),
  definition: ({ fn }) => (fn.mode === "webhook" ? {} : { attempts: fn.attempts }),
  effective: ({ fn }) => (fn.mode === "webhook" ? {} : { retry: { attempts: fn.attempts } }),
});
