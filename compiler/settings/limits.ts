/** A limit that may only lower the instance's: one that is not given is that one, which is never lower. */
export function limitChange(
  old: number | undefined,
  now: number | undefined,
  print: (limit: number) => string = String,
): { readonly way: "lowered" | "raised"; readonly limits: { old: string; new: string } } | undefined {
  if (old === now) return undefined;
  const lowered = now !== undefined && (old === undefined || now < old);
  const text = (limit: number | undefined) => (limit === undefined ? "the instance's" : print(limit));
  return { way: lowered ? "lowered" : "raised", limits: { old: text(old), new: text(now) } };
}
