import type { RouteOfRules } from "./documents.ts";
import { transferContracts } from "./files.ts";
import { resumableContracts } from "./resumable.ts";

/** Of each field of files, in the order of OpenAPI documents. */
export const fileContracts: readonly RouteOfRules[] = [...transferContracts, ...resumableContracts];
