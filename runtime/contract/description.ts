/** What a realm says of itself (spec: Versioning 3), unless `openapi: off`. */
import { contract, type RouteContract } from "./contract.ts";
import { named } from "./schema.ts";

export const descriptionTag = "description";

export const getDescription = contract({
  id: "getDescription",
  method: "GET",
  path: "/_openapi.json",
  who: { kind: "reader" },
  headers: ["IfNoneMatch"],
  answers: {
    200: {
      description: "OpenAPI 3.1.",
      schema: named("OpenApiDocument", { type: "object" }),
      headers: { ETag: "DescriptionETag" },
    },
    304: { description: "The client has this description.", headers: { ETag: "DescriptionETag" } },
  },
  tag: descriptionTag,
  summary: "Fetch this OpenAPI document",
  about: "It changes with the configuration alone.",
});

export const description: readonly RouteContract[] = [getDescription];
