import type { OpenAPIV3_1 } from "openapi-types";
import { type HeaderName, headers } from "../../runtime/contract/headers.ts";
import { Shared } from "./shared.ts";

type Header = OpenAPIV3_1.HeaderObject;

export function sharedHeaders(): Shared<Header, HeaderName> {
  return new Shared<Header, HeaderName>("headers", headers);
}
