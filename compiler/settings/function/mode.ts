/** `mode`: by what a function is run, and which keys that leaves it. */
import type { FunctionDefinition } from "../../../runtime/realm/functions.ts";
import { alternatives } from "../../../runtime/suggest.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { oneOf } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";
import type { FunctionCheck } from "../subject.ts";

export type FunctionMode = FunctionDefinition["mode"];

declare module "../../model/model.ts" {
  interface RealmFunction {
    readonly mode: FunctionMode;
  }
}

const codes = {
  "function-key-mode": {
    severity: "error",
    summary: "A key that functions of another mode have.",
    message: "'{key}' is for functions of mode {modes}, and this one is of mode {mode}",
    explanation:
      "A webhook is called with raw bytes, a call with JSON that fits its `input`, an event by what happens. A key that means nothing in the function's mode would look as if it did.",
    wrong: { "function.yaml": "mode: event\nschedule: '0 3 * * *'\ninvoke: user != null" },
    right: { "function.yaml": "mode: event\nschedule: '0 3 * * *'" },
  },
  "function-never-runs": {
    severity: "error",
    summary: "An event function without triggers and without a schedule.",
    message: "nothing runs this function: it has neither triggers nor a schedule",
    explanation:
      "Functions of mode event have no route of their own; what runs them is said by these two keys.",
    wrong: { "function.yaml": "mode: event" },
    right: { "function.yaml": "mode: event\nschedule: '0 3 * * *'" },
  },
} as const satisfies Codes;

const changes = {
  "function-mode-changed": {
    kind: "breaking",
    message: "was a function of mode {old}, is one of mode {new}",
    why: "It is called otherwise, or not at all: what callers send is refused.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** Keys that not all modes have. */
const keysOf: Readonly<Record<string, readonly FunctionMode[]>> = {
  invoke: ["webhook", "call"],
  input: ["call"],
  output: ["call"],
  idempotency: ["call"],
  triggers: ["event"],
  schedule: ["event"],
  retry: ["call", "event"],
};

const foreignKeys: FunctionCheck = ({ fn: { mode }, file, faults }) =>
  faults.cover(file.path, ["mode"])
    ? []
    : Object.keys(file.value).flatMap((key) => {
        const modes = Object.hasOwn(keysOf, key) ? keysOf[key] : undefined;
        if (modes === undefined || modes.includes(mode)) return [];
        return [
          diagnose("function-key-mode", locate(file, [key], "key"), {
            key,
            mode,
            modes: alternatives(modes),
          }),
        ];
      });

const neverRuns: FunctionCheck = ({ fn: { mode, triggers, schedule }, file, faults }) => {
  if (mode !== "event" || triggers.length > 0 || schedule !== undefined) return [];
  if (["mode", "triggers", "schedule"].some((key) => faults.touch(file.path, [key]))) return [];
  return [diagnose("function-never-runs", locate(file, ["mode"]), {})];
};

export const mode = functionSetting({
  codes,
  changes,
  compare: ({ mode: old }, { mode: now }, place, report) => {
    if (old !== now) report("function-mode-changed", `${place} mode`, { old, new: now });
  },
  checks: [foreignKeys, neverRuns],
  read: ({ given }): Pick<RealmFunction, "mode"> => ({
    mode: given.find("mode", oneOf("webhook", "call", "event")) ?? "call",
  }),
  definition: ({ fn }) => ({ mode: fn.mode }),
  effective: ({ fn }) => ({ mode: fn.mode }),
});
