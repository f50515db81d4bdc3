import type { OpenAPIV3_1 } from "openapi-types";
import type { Build, Paths } from "../build.ts";
import { admitted } from "../security.ts";

export const descriptionTag: OpenAPIV3_1.TagObject = { name: "description", description: "This document." };

/** The route that serves this document, unless `openapi: off`. */
export function descriptionPaths(build: Build): Paths {
  const { realm } = build;
  if (realm.openapi === "off") return {};
  const document = build.schemas.add("OpenApiDocument", { type: "object" });
  return {
    [`/v1/${realm.name}/_openapi.json`]: build.path([], {
      get: build.operation({
        id: "getDescription",
        tag: descriptionTag.name,
        summary: "Fetch this OpenAPI document",
        about: "It changes with the configuration alone.",
        parameters: ["IfNoneMatch"],
        answers: {
          200: {
            description: "OpenAPI 3.1.",
            schema: document,
            headers: { ETag: "DescriptionETag" },
          },
          304: { description: "The client has this description.", headers: { ETag: "DescriptionETag" } },
        },
        admits: admitted(realm, realm.openapi === "public" ? "anyone" : "users"),
      }),
    }),
  };
}
