/** api-decisions: Administrator routes about secrets, the audit trail and the configuration. */
import { secretLength } from "./checks.ts";
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page, timestamp } from "./schema.ts";

const secrets = { kind: "administrator", area: "secrets", to: "see" } as const;
const config = { kind: "administrator", area: "config", to: "see" } as const;

const secret = named("Secret", closed({ name: id, created_at: timestamp, updated_at: timestamp }));

export const listSecrets = contract({
  id: "adminListSecrets",
  method: "GET",
  path: "/_admin/secrets",
  who: secrets,
  query: paging,
  answers: { 200: { description: "A page.", schema: page("SecretPage", secret) } },
  tag,
  summary: "List the names of secrets",
  client: "$admin.listSecrets",
});

export const putSecret = contract({
  id: "adminPutSecret",
  method: "PUT",
  path: "/_admin/secrets/{name}",
  who: { ...secrets, to: "change" },
  body: {
    schema: named(
      "SecretValue",
      closed({ value: { type: "string", minLength: 1, maxLength: secretLength, check: "secret" } }),
    ),
    media: "json",
  },
  answers: { 200: { description: "The secret, without its value.", schema: secret } },
  errors: ["conflict", "write_conflict"],
  tag,
  summary: "Set a secret",
  about: "It is stored encrypted, and never answered. A realm has at most 1,000.",
  client: { method: "$admin.putSecret", spread: true },
});

export const deleteSecret = contract({
  id: "adminDeleteSecret",
  method: "DELETE",
  path: "/_admin/secrets/{name}",
  who: { ...secrets, to: "change" },
  answers: { 204: { description: "Deleted." } },
  tag,
  summary: "Delete a secret",
  client: "$admin.deleteSecret",
});

const auditRecord = named(
  "AuditRecord",
  closed({
    id,
    at: timestamp,
    action: { type: "string", description: "What was done: `user.roles`, `key.create`, `data.patch`, …" },
    actor: { type: "string", description: "Who did it: `user:<id>`, `key:<name>` or `command-line`." },
    target: {
      type: "string",
      description: "What it was done to: `user:<id>`, `document:<database>/<collection>/<id>`, …",
    },
    address: { type: ["string", "null"] },
    request_id: { type: ["string", "null"] },
    details: { type: "object", description: "Facts about the change, never content or secrets." },
  }),
);

export const listAudit = contract({
  id: "adminListAudit",
  method: "GET",
  path: "/_admin/audit",
  who: { kind: "administrator", area: "audit", to: "see" },
  query: [...paging, "AuditAction", "AuditActor", "AuditFrom", "AuditTo"],
  answers: { 200: { description: "A page.", schema: page("AuditPage", auditRecord) } },
  tag,
  summary: "List audit records",
  about: "Newest first.",
  client: { method: "$admin.listAudit", options: "AuditOptions" },
});

const fields = { type: "object", additionalProperties: true } as const;

export const getConfig = contract({
  id: "adminGetConfig",
  method: "GET",
  path: "/_admin/config",
  who: config,
  answers: {
    200: {
      description: "The configuration.",
      schema: named(
        "EffectiveConfiguration",
        closed({
          fingerprint: { type: "string", description: "Of the whole configuration, as `/readyz` has it." },
          realm: { ...fields, description: "realm.yaml, defaults filled in." },
          databases: {
            ...fields,
            description: "By database and collection: collection.yaml, indexes and declared fields.",
          },
        }),
      ),
    },
  },
  tag,
  summary: "Fetch the configuration that is in effect",
  client: "$admin.getConfig",
});

const recorded = named(
  "RecordedConfiguration",
  closed({
    fingerprint: { type: "string", description: "Of the whole configuration that the realm was part of." },
    provisioned_at: timestamp,
    files: { ...fields, description: "Files of the realm by their paths in the configuration folder." },
  }),
);

export const listConfigurations = contract({
  id: "adminListConfigurations",
  method: "GET",
  path: "/_admin/config/files",
  who: config,
  answers: {
    200: {
      description: "The configurations.",
      schema: named("RecordedConfigurations", closed({ items: { type: "array", items: recorded } })),
    },
  },
  tag,
  summary: "List the configurations that the store was provisioned with",
  about:
    "The oldest first, with the texts of rules; of handlers nothing. `realmc plan` compares with the last.",
  client: "$admin.listConfigurations",
});

const appConfig = named("AppConfig", { ...fields, description: "What rules read as `appConfig`." });

export const getAppConfig = contract({
  id: "adminGetAppConfig",
  method: "GET",
  path: "/_admin/config/app",
  who: config,
  answers: { 200: { description: "What rules read as `appConfig`.", schema: appConfig } },
  tag,
  summary: "Fetch the application's configuration",
  client: "$admin.getAppConfig",
});

export const putAppConfig = contract({
  id: "adminPutAppConfig",
  method: "PUT",
  path: "/_admin/config/app",
  who: { ...config, to: "change" },
  body: { schema: appConfig, media: "json" },
  answers: { 200: { description: "What rules read from now on.", schema: appConfig } },
  errors: ["write_conflict"],
  tag,
  summary: "Replace the application's configuration",
  about: "In place of `app_config` of realm.yaml, from the next request on.",
  client: "$admin.putAppConfig",
});

export const administration: readonly RouteContract[] = [
  listSecrets,
  putSecret,
  deleteSecret,
  listAudit,
  getConfig,
  listConfigurations,
  getAppConfig,
  putAppConfig,
];
