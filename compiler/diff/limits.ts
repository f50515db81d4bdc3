import type { Report } from "./catalogue.ts";

/** A limit that may only lower the instance's: one that is not given is that one, which is never lower. */
export function compareLimit(
  of: "expansion" | "realtime",
  old: number | undefined,
  now: number | undefined,
  where: string,
  report: Report,
  print: (limit: number) => string = String,
): void {
  if (old === now) return;
  const lowered = now !== undefined && (old === undefined || now < old);
  const text = (limit: number | undefined) => (limit === undefined ? "the instance's" : print(limit));
  report(`${of}-${lowered ? "lowered" : "raised"}`, where, { old: text(old), new: text(now) });
}
