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

/** api-decisions: Administrator routes, as far as every realm has them. */
export function administrationPaths(build: Build, schemas: AdministrationSchemas): Paths {
  return {
    ...keyPaths(build, schemas),
    ...secretPaths(build, schemas),
    ...auditPaths(build, schemas),
    ...configPaths(build, schemas),
  };
}

function keyPaths(build: Build, { keys, newKey, madeKey }: AdministrationSchemas): Paths {
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

function secretPaths(build: Build, { secret, secrets, secretValue }: AdministrationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/secrets`;
  return {
    [path]: build.path([], {
      get: administrate(build, "secrets", {
        id: "adminListSecrets",
        summary: "List the names of secrets",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: secrets } },
      }),
    }),
    [`${path}/{name}`]: build.path(["SecretName"], {
      put: administrate(build, "secrets", {
        id: "adminPutSecret",
        summary: "Set a secret",
        about: "It is stored encrypted, and never answered. A realm has at most 1,000.",
        body: { schema: secretValue },
        answers: { 200: { description: "The secret, without its value.", schema: secret } },
        errors: ["conflict", "write_conflict"],
      }),
      delete: administrate(build, "secrets", {
        id: "adminDeleteSecret",
        summary: "Delete a secret",
        answers: { 204: { description: "Deleted." } },
      }),
    }),
  };
}

function auditPaths(build: Build, { audit }: AdministrationSchemas): Paths {
  return {
    [`/v1/${build.realm.name}/_admin/audit`]: build.path([], {
      get: administrate(build, "audit", {
        id: "adminListAudit",
        summary: "List audit records",
        about: "Newest first.",
        parameters: ["Limit", "After", "AuditAction", "AuditActor", "AuditFrom", "AuditTo"],
        answers: { 200: { description: "A page.", schema: audit } },
      }),
    }),
  };
}

function configPaths(build: Build, { config, appConfig }: AdministrationSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/config`;
  return {
    [path]: build.path([], {
      get: administrate(build, "config", {
        id: "adminGetConfig",
        summary: "Fetch the configuration that is in effect",
        answers: { 200: { description: "The configuration.", schema: config } },
      }),
    }),
    [`${path}/app`]: build.path([], {
      get: administrate(build, "config", {
        id: "adminGetAppConfig",
        summary: "Fetch the application's configuration",
        answers: { 200: { description: "What rules read as `appConfig`.", schema: appConfig } },
      }),
      put: administrate(build, "config", {
        id: "adminPutAppConfig",
        summary: "Replace the application's configuration",
        about: "In place of `app_config` of realm.yaml, from the next request on.",
        body: { schema: appConfig },
        answers: { 200: { description: "What rules read from now on.", schema: appConfig } },
        errors: ["write_conflict"],
      }),
    }),
  };
}
