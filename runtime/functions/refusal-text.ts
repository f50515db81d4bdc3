import { isJsonObject, type JsonObject, objectIn } from "../json.ts";
import type { Result } from "./invocation.ts";

/** ` (title is required, tags.0 must be string)`; empty where there are none. */
export function detailsText(details: readonly object[]): string {
  if (details.length === 0) return "";
  const texts = details.map((detail) =>
    "path" in detail && "reason" in detail
      ? `${String(detail.path)} ${String(detail.reason)}`
      : JSON.stringify(detail),
  );
  return ` (${texts.join(", ")})`;
}

type Forwarded = Extract<Result, { kind: "forwarded" }>;

/** `create in support/tickets under its caller's rules was answered 403 forbidden: …`. */
export function forwardedText(forwarded: Forwarded): string {
  const { status, operation, collection } = forwarded;
  const error = errorIn(forwarded);
  const what = operation === undefined ? "An operation" : `${operation} in ${collection}`;
  const told = error === undefined ? "." : ` ${String(error["code"])}: ${String(error["message"])}`;
  const details = detailsText(forwardedDetails(forwarded));
  return `${what} under its caller's rules was answered ${status}${told}${details}`;
}

export function forwardedDetails(forwarded: Forwarded): readonly JsonObject[] {
  const details = errorIn(forwarded)?.["details"];
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}

function errorIn({ body }: Forwarded): JsonObject | undefined {
  const error = objectIn(body)?.["error"];
  return isJsonObject(error) ? error : undefined;
}
