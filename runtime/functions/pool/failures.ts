/** Why runs fail that did not end by themselves. */
import type { Result } from "../invocation.ts";

/** What no handler makes a thread tell by what `ctx` has. */
export const mistold = "the thread told what it cannot";

export function failed(reason: string): Result {
  return { kind: "failed", code: "function_failed", reason };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
