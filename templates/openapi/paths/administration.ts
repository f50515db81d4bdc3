import type { OpenAPIV3_1 } from "openapi-types";
import type { Build, Operation, OperationDescription, Paths } from "../build.ts";
import type { AdministrationSchemas } from "../schemas/administration.ts";
import { administrators } from "../security.ts";

export const administrationTag: OpenAPIV3_1.TagObject = {
  name: "administration",
  description:
    "For API keys and sessions that administer the area named. Not there (404) where the server has it switched off. Every change leaves an audit record.",
};

/** An operation of `_admin`, but on documents. @param area that its callers administer, or one of these */
export function administrate(
  build: Build,
  area: string | readonly string[],
  {
    about,
    ...description
  }: Omit<OperationDescription, "tag" | "admits" | "about"> & {
    readonly about?: string;
  },
): Operation {
  const areas = [area].flat().map((name) => `\`${name}\``);
  const needs = `Area ${areas.join(" or ")}.`;
  return build.operation({
    ...description,
    tag: administrationTag.name,
    about: about === undefined ? needs : `${needs} ${about}`,
    admits: administrators(build.realm),
  });
}

/** api-decisions: Administrator routes about API keys. */
export function keyPaths(build: Build, { keys, newKey, madeKey }: AdministrationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/keys`;
  return {
    [path]: build.path([], {
      get: administrate(build, "apikeys", {
        id: "adminListKeys",
        summary: "List API keys",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: keys } },
      }),
      post: administrate(build, "apikeys", {
        id: "adminCreateKey",
        summary: "Make an API key",
        about:
          "Nobody gives a key more than they hold: keys that administer are made by full administrators, keys that reach data by administrators of `data`, whatever their scopes.",
        body: { schema: newKey },
        answers: { 201: { description: "The key, shown this once.", schema: madeKey } },
        errors: ["conflict"],
      }),
    }),
    [`${path}/{id}`]: build.path(["Id"], {
      delete: administrate(build, "apikeys", {
        id: "adminRevokeKey",
        summary: "Revoke an API key",
        about: "It ends with the next request. Keys that administer are revoked by full administrators.",
        answers: { 204: { description: "Revoked." } },
      }),
    }),
  };
}
