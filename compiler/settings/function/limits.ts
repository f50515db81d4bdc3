/** `timeout`, `memory` and `concurrency`: what a function may take. */
import { printDuration, printSize } from "../../../runtime/units.ts";
import { duration, number, size } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
import type { Changes } from "../change.ts";
import { functionSetting } from "../setting.ts";

declare module "../../model/model.ts" {
  interface RealmFunction {
    /** Milliseconds. */
    readonly timeout: number;
    /** Bytes. */
    readonly memory: number;
    readonly concurrency: number;
  }
}

const changes = {
  "function-limit-changed": {
    kind: "internal",
    message: "was {old} and is {new}",
    why: "What takes longer, or more memory, fails where it did not, or the other way round; more or fewer run at once.",
  },
} as const satisfies Changes;

const printed = {
  timeout: printDuration,
  memory: printSize,
  concurrency: String,
} as const;

const names = ["timeout", "memory", "concurrency"] as const;

export const limits = functionSetting({
  changes,
  compare: (old, now, place, report) => {
    for (const name of names) {
      const print = printed[name];
      if (old[name] !== now[name])
        report("function-limit-changed", `${place} ${name}`, {
          old: print(old[name]),
          new: print(now[name]),
        });
    }
  },
  read: ({ given }): Pick<RealmFunction, "timeout" | "memory" | "concurrency"> => ({
    timeout: given.read("timeout", duration),
    memory: given.read("memory", size),
    concurrency: given.read("concurrency", number),
  }),
  definition: ({ fn: { timeout, memory, concurrency } }) => ({ timeout, memory, concurrency }),
  effective: ({ fn }) => ({
    timeout: printDuration(fn.timeout),
    memory: printSize(fn.memory),
    concurrency: fn.concurrency,
  }),
});
