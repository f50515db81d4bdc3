/** `timeout`, `memory` and `concurrency`: what a function may take. */
import { printDuration, printSize } from "../../../runtime/units.ts";
import { duration, number, size } from "../../model/given.ts";
import type { RealmFunction } from "../../model/model.ts";
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

export const limits = functionSetting({
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
