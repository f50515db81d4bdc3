/** Longer reasons are cut. */
const longest = 4_096;

/** What was thrown, for logs: whatever it is, this answers text and throws nothing. */
export function reasonOf(thrown: unknown): string {
  const text = attempt(() => (thrown instanceof Error ? stackOf(thrown) : describe(thrown)));
  return (text ?? "it threw what cannot be described").slice(0, longest);
}

function stackOf(error: Error): string {
  const { stack } = error;
  const said = `${textOf(error.name)}: ${textOf(error.message)}`;
  // A message that was set later does not stand in the stack.
  return typeof stack === "string" && stack.startsWith(said) ? stack : said;
}

function describe(thrown: unknown): string {
  if (typeof thrown === "function") return "it threw a function";
  if (typeof thrown !== "object" || thrown === null) return `it threw ${textOf(thrown)}`;
  return `it threw ${JSON.stringify(thrown)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (attempt(() => String(value)) ?? "?");
}

function attempt(make: () => string): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
