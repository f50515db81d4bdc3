import { detailsText } from "../refusal-text.ts";
import { StoreError } from "./replies.ts";

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
  const told = error instanceof StoreError ? refusalText(error) : said;
  // A message that was set later does not stand in the stack.
  return typeof stack === "string" && stack.startsWith(said)
    ? `${told}${framesOf(stack.slice(said.length))}`
    : told;
}

/** `StoreError: create in support/tickets: 400 validation_error: … (title is required)`. */
function refusalText({ operation, collection, status, code, message, details }: StoreError): string {
  const asked = operation === undefined ? "" : `${operation} in ${collection}: `;
  return `StoreError: ${asked}${status} ${code}: ${message}${detailsText(details)}`;
}

/** What is ours says nothing of the handler. */
function framesOf(stack: string): string {
  const lines = stack.split("\n").filter((line) => !own.some((place) => line.includes(place)));
  return lines.join("\n");
}

/** The worker itself: a bundle, or in a checkout what lies around this module. */
const own: readonly string[] = [
  import.meta.url.endsWith("/reason.ts") ? new URL("../../", import.meta.url).href : import.meta.url,
  "node:internal/",
];

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
