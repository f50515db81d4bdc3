import { type ErrorCode, errorStatus } from "../../runtime/error-codes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

/** What no operation answers, since it is about requests that are none of theirs. */
const ofNoOperation: readonly string[] = [
  "bad_request",
  "method_not_allowed",
  "request_timeout",
  "request_header_fields_too_large",
] satisfies readonly ErrorCode[];

/** The codes that a realm may answer by its document, in the order in which they are listed. */
export function codesOf({
  components,
}: {
  readonly components?: { readonly responses?: object };
}): readonly string[] {
  const named = new Set(ofNoOperation);
  const walk = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    if (!isJsonObject(value)) return;
    const { code } = value;
    if (isJsonObject(code)) for (const each of enumerated(code)) named.add(each);
    for (const each of Object.values(value)) walk(each);
  };
  for (const response of Object.values(components?.responses ?? {})) walk(response);
  return Object.keys(errorStatus).filter((code) => named.has(code));
}

/** Values that the schema of a code names, where others may be or not. */
function enumerated({ enum: own = [], anyOf = [] }: JsonObject): readonly string[] {
  const inner = Array.isArray(anyOf)
    ? anyOf.flatMap((each) => (isJsonObject(each) ? enumerated(each) : []))
    : [];
  return [...(Array.isArray(own) ? own.map(String) : []), ...inner];
}
