/** `idempotency` and `retry`: whether a call may be repeated, and how often a run is tried. */
import type { CallDefinition } from "../../../runtime/realm/functions.ts";
import { number, oneOf } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Of calls. */
    readonly idempotency: CallDefinition["idempotency"];
    /** Of events and queued calls. */
    readonly attempts: number;
  }
}

const idempotencyChanges = {
  "idempotency-required": {
    kind: "breaking",
    message: "was {old}, is required",
    why: "Calls without an `Idempotency-Key` are refused (`idempotency_key_required`).",
  },
  "idempotency-refused": {
    kind: "breaking",
    message: "was {old}, is none",
    why: "Calls with an `Idempotency-Key` are refused (`invalid_header`).",
  },
  "idempotency-optional": {
    kind: "additive",
    message: "was {old}, is optional",
    why: "Calls that were refused are accepted.",
  },
} as const satisfies Changes;

const changeTo = {
  required: "idempotency-required",
  none: "idempotency-refused",
  optional: "idempotency-optional",
} as const;

export const idempotency = functionSetting({
  changes: idempotencyChanges,
  compare: (before, after, place, report) => {
    const [old, now] = [before.idempotency, after.idempotency];
    if (before.mode === "call" && after.mode === "call" && old !== now)
      report(changeTo[now], `${place} idempotency`, { old });
  },
  read: ({ given }): Pick<RealmFunction, "idempotency"> => ({
    idempotency: given.read("idempotency", oneOf("required", "optional", "none")),
  }),
  definition: ({ fn }) => (fn.mode === "call" ? { idempotency: fn.idempotency } : {}),
  effective: ({ fn }) => (fn.mode === "call" ? { idempotency: fn.idempotency } : {}),
});

const retryChanges = {
  "function-attempts-changed": {
    kind: "internal",
    message: "a run was tried {old} times, is tried {new} times",
    why: "Of what fails again and again it is known earlier or later.",
  },
} as const satisfies Changes;

export const retry = functionSetting({
  changes: retryChanges,
  compare: (before, after, place, report) => {
    const [old, now] = [before.attempts, after.attempts];
    if (before.mode === after.mode && old !== now)
      report("function-attempts-changed", `${place} retry.attempts`, { old, new: now });
  },
  read: ({ given }): Pick<RealmFunction, "attempts"> => ({
    attempts: given.in("retry").read("attempts", number),
  }),
  definition: ({ fn }) => (fn.mode === "webhook" ? {} : { attempts: fn.attempts }),
  effective: ({ fn }) => (fn.mode === "webhook" ? {} : { retry: { attempts: fn.attempts } }),
});
