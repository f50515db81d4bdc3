import { organizations } from "../../testing/models.ts";
import {
  aggregate,
  customId,
  publicCache,
  realtime,
  reference,
  type Sketched,
  sketch,
  text,
  uniqueIndex,
} from "./models.ts";

/** A realm that has at least one of everything: the golden document's. */
export function desk(): Sketched {
  return sketch({
    name: "desk",
    roles: [{ name: "agent" }, { name: "lead", admin: ["users", "invitations"] }],
    totp: true,
    organizations,
    origins: ["https://app.example.com"],
    sessions: {
      lifetime: 2_592_000_000,
      idleTimeout: 604_800_000,
      adminIdleTimeout: 900_000,
      adminMaxLifetime: 28_800_000,
      cookie: { sameSite: "lax" },
    },
    profile: {
      type: "object",
      properties: { name: { type: "string", maxLength: 100 } },
      additionalProperties: false,
    },
    files: {
      "_shared/address.json": {
        $defs: { country: { type: "string", pattern: "^[A-Z]{2}$" } },
        type: "object",
        required: ["city"],
        properties: {
          street: { type: "string" },
          city: { type: "string" },
          country: { $ref: "#/$defs/country" },
        },
      },
    },
    databases: {
      support: {
        articles: {
          schema: {
            $schema: "https://json-schema.org/draft/2020-12/schema",
            description: "Help articles, known by their slug.",
            type: "object",
            required: ["title"],
            properties: {
              title: { type: "string" },
              body: { type: "string" },
              related: { type: "array", items: { type: "string" } },
            },
            additionalProperties: false,
          },
          rules: { read: "everyone", create: "users", update: "users", delete: "users" },
          ...publicCache,
          ...realtime,
          ...text("title", "body"),
          references: [reference("related", "articles", { database: "support", many: true })],
          ...customId({ pattern: "^[a-z0-9-]+$" }),
        },
        orders: {
          schema: { type: "object", properties: { number: { type: "integer" } } },
          rules: { read: "users", create: "users", update: "users" },
          organization: { required: true, teams: "optional", onDelete: "delete" },
        },
        tickets: {
          schema: {
            title: "Ticket",
            description: "What a customer asks for.",
            type: "object",
            required: ["subject", "status", "cost"],
            properties: {
              subject: { type: "string", minLength: 1, maxLength: 200 },
              status: { enum: ["open", "waiting", "closed"] },
              number: { type: "integer" },
              due_at: { type: ["string", "null"], format: "date-time", "x-svc-store": "date" },
              cost: { type: "number", minimum: 0 },
              article: { type: "string" },
              address: { $ref: "../../_shared/address.json" },
              steps: { type: "array", items: { $ref: "#/$defs/step" } },
            },
            additionalProperties: false,
            $defs: {
              step: {
                type: "object",
                required: ["text"],
                properties: {
                  text: { type: "string" },
                  sub: { type: "array", items: { $ref: "#/$defs/step" } },
                },
              },
            },
          },
          indexes: [uniqueIndex],
          softDelete: { retention: 2_592_000_000 },
          ...realtime,
          references: [reference("article", "articles", { database: "support" })],
          ...aggregate(
            ["status", "due_at"],
            [
              { path: "cost", functions: ["sum", "avg", "min", "max"] },
              { path: "due_at", functions: ["max", "distinct"] },
            ],
          ),
          rules: {
            read: "users",
            create: "anyone",
            update: "users",
            delete: "users",
            restore: "users",
            purge: "nobody",
          },
          hidden: ["cost"],
        },
      },
    },
  });
}
