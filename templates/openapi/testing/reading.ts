/** What tests look for in documents. */
import type { OpenAPIV3_1 } from "openapi-types";
import { openapiDocument } from "../document.ts";
import { codesOf, type RealmSketch, responseOf, sketch } from "./models.ts";

export function documentOf(realm: RealmSketch): OpenAPIV3_1.Document {
  const { realm: model, rules } = sketch(realm);
  return openapiDocument(model, rules);
}

export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenAPIV3_1.OperationObject;
}

export function operations(document: OpenAPIV3_1.Document): readonly Listed[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item = {}]) =>
    (["get", "put", "post", "delete", "patch"] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

export function operation(document: OpenAPIV3_1.Document, id: string): OpenAPIV3_1.OperationObject {
  const found = operations(document).find((listed) => listed.operation.operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found.operation;
}

/** The codes that an operation answers with a status. */
export function codes(document: OpenAPIV3_1.Document, id: string, status: number): readonly string[] {
  return codesOf(responseOf(document, operation(document, id), status));
}

export function parameters(document: OpenAPIV3_1.Document, id: string): readonly string[] {
  return (operation(document, id).parameters ?? []).map((parameter) =>
    "$ref" in parameter ? (parameter.$ref.split("/").at(-1) ?? "") : parameter.name,
  );
}
