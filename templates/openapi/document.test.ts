import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { OpenAPIV3_1 } from "openapi-types";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { jsonText } from "../print/format.ts";
import { organizations } from "../testing/models.ts";
import { openapiDocument } from "./document.ts";
import { desk } from "./testing/desk.ts";
import {
  type Allowed,
  aggregate,
  customId,
  publicCache,
  type RealmSketch,
  reference,
  responseOf,
  text,
  uniqueIndex,
} from "./testing/models.ts";
import { codes, documentOf, operation, operations, parameters } from "./testing/reading.ts";

const schema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
const hostile = "*/ `\" ' \\ </script> \u2028 {}";

/** Realms that differ in what there is to describe. */
const realms: Readonly<Record<string, RealmSketch>> = {
  empty: {},
  "without authentication": { auth: false, databases: { db: { things: { schema, softDelete: {} } } } },
  "closed, description off": { signup: "closed", openapi: "off", databases: { db: { things: { schema } } } },
  "for users": { openapi: "users", databases: { db: { things: { schema, ...customId({ is: "user" }) } } } },
  "of like-named collections": {
    databases: {
      "a-b": { users: { schema }, Own: { schema } },
      a_b: { users: { schema }, sessions: { schema }, "own-user": { schema }, "me-2": { schema } },
      own: { sessions: { schema } },
      shop: { line_items: { schema }, "line-items": { schema }, lineItems: { schema } },
      "shop-line": { items: { schema } },
    },
  },
  "that is searched, aggregated and expanded": {
    databases: {
      db: {
        things: {
          schema,
          ...text("name"),
          ...aggregate(["name"], [{ path: "name", functions: ["min", "distinct"] }]),
          references: [reference("name", "things"), reference("people", "people", { many: true })],
        },
        people: { schema, references: [reference("thing", "things", { field: "name" })] },
      },
    },
  },
  "with organizations": {
    organizations,
    databases: {
      db: {
        things: { schema, organization: { required: true, teams: "optional", onDelete: "delete" } },
        people: {
          schema,
          organization: { required: false, onDelete: "keep" },
          references: [reference("thing", "things", { field: "name" })],
        },
      },
    },
  },
  "of hostile text": {
    roles: [{ name: hostile }],
    profile: {
      title: hostile,
      properties: { [hostile]: { $ref: "#/profile/$defs/a~1b" } },
      $defs: { "a/b": { const: hostile } },
    },
    files: { "_shared/%20 x.json": { $defs: { "~": { description: hostile } } } },
    databases: {
      db: {
        things: {
          schema: {
            type: "object",
            description: hostile,
            properties: {
              [hostile]: { enum: [hostile] },
              b: { $ref: "../../_shared/%2520%20x.json#/$defs/~0" },
            },
          },
          hidden: [hostile],
        },
      },
    },
  },
};

/** As a client reads it. */
function read(document: OpenAPIV3_1.Document): JsonValue {
  return JSON.parse(JSON.stringify(document));
}

/** What an operation answers where it succeeds. */
function bodyOf(document: OpenAPIV3_1.Document, described: OpenAPIV3_1.OperationObject | undefined): unknown {
  return (responseOf(document, described, 200) ?? responseOf(document, described, 201))?.content;
}

function references(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => references(item));
  if (!isJsonObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap((member) => references(member))];
}

describe("a realm's OpenAPI document", () => {
  test("calls an operation the same whatever else the realm has", () => {
    const alike: readonly (readonly [string, string])[] = [
      ["own", "sessions"],
      ["shop", "items"],
      ["sho", "pItems"],
      ["shop", "line_items"],
      ["shop", "line-items"],
      ["shop", "lineItems"],
      ["shop_line", "items"],
      ["shopline", "items"],
      ["support", "items"],
      // As what is called for organizations and teams, in some of its parts.
      ["organization", "invitations"],
      ["team", "members"],
      ["team", "role"],
    ];
    const idsIn = (places: typeof alike): ReadonlyMap<string, string> => {
      const databases: Record<string, Record<string, { schema: typeof schema }>> = {};
      for (const [database, name] of places)
        databases[database] = { ...databases[database], [name]: { schema } };
      const listed = operations(documentOf({ organizations, databases }));
      return new Map(
        listed.map(({ method, path, operation: { operationId = "" } }) => [`${method} ${path}`, operationId]),
      );
    };
    const together = idsIn(alike);
    expect(new Set(together.values()).size).toBe(together.size);
    for (const place of alike)
      for (const [operation, id] of idsIn([place])) expect(together.get(operation)).toBe(id);
  });

  test("is what the golden file holds (UPDATE_GOLDEN=1 writes it anew)", () => {
    const golden = fileURLToPath(new URL("./testdata/desk.openapi.json", import.meta.url));
    const { realm, rules } = desk();
    const document = openapiDocument(realm, rules);
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, jsonText(document));
    // As text, because order counts; of several lines, for differences that can be read.
    const lines = (value: unknown) => JSON.stringify(value, null, 2);
    expect(lines(document)).toBe(lines(JSON.parse(readFileSync(golden, "utf8"))));
  });

  describe.each(Object.entries(realms))("of a realm %s", (_, realm) => {
    const document = documentOf(realm);

    test("is valid OpenAPI 3.1", async () => {
      expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
    });

    test("refers only to what it holds", () => {
      const components = read(document);
      for (const reference of references(components)) {
        const held = reference
          .split("/")
          .slice(1)
          .reduce<JsonValue | undefined>(
            (value, name) => (isJsonObject(value) ? value[name] : undefined),
            components,
          );
        expect(held, reference).toBeDefined();
      }
    });

    test("gives every operation an id of its own, a declared tag and credentials that are described", () => {
      const listed = operations(document).map((each) => each.operation);
      const ids = listed.map(({ operationId = "" }) => operationId.toLowerCase());
      expect(new Set(ids).size).toBe(ids.length);
      const tags = (document.tags ?? []).map(({ name }) => name);
      const schemes = Object.keys(document.components?.securitySchemes ?? {});
      for (const { tags: own = [], security = [] } of listed) {
        expect(tags).toEqual(expect.arrayContaining(own));
        expect(schemes).toEqual(
          expect.arrayContaining(security.flatMap((requirement) => Object.keys(requirement))),
        );
      }
    });

    test("is the same each time", () => {
      expect(JSON.stringify(documentOf(realm))).toBe(JSON.stringify(document));
    });
  });

  test("has no accounts, no sessions and no ownership where authentication is disabled", () => {
    const document = documentOf({ auth: false, databases: { db: { things: { schema, softDelete: {} } } } });
    const own = [
      "/v1/desk/db/things",
      "/v1/desk/db/things/{id}",
      "/v1/desk/db/things/{id}/restore",
      "/v1/desk/db/_batch",
      "/v1/desk/_openapi.json",
    ];
    const paths = Object.keys(document.paths ?? {});
    expect(paths.filter((path) => !path.includes("/_admin/"))).toEqual(own);
    const meta = document.components?.schemas?.DeletableMeta?.properties ?? {};
    expect(Object.keys(meta)).toEqual(["created_at", "updated_at", "version", "deleted_at"]);
    expect(parameters(document, "createDbThingsDocument")).toEqual([]);
    for (const path of own) expect(JSON.stringify(document.paths?.[path])).not.toMatch(/"401"|OnBehalfOf/);
  });

  test("Administrator routes: a realm without authentication is administered by API keys", () => {
    const document = documentOf({ auth: false, databases: { db: { things: { schema } } } });
    expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(["api_key"]);
    const administered = operations(document).filter(({ path }) => path.includes("/_admin/"));
    expect(new Set(administered.map(({ path }) => path.split("/")[4]))).toEqual(
      new Set(["audit", "config", "data", "jobs", "keys", "migrations", "secrets"]),
    );
    for (const { operation: each } of administered) {
      expect(each.security).toEqual([{ api_key: [] }]);
      expect(codes(document, each.operationId ?? "", 401)).toEqual(["unauthenticated"]);
    }
  });

  test("Administrator routes: documents have the same operations as by their own routes, for administrators", () => {
    const { realm, rules } = desk();
    const document = openapiDocument(realm, rules);
    const own = operations(document).filter(({ path }) => /^\/v1\/desk\/(?!_)/.test(path));
    const administered = operations(document).filter(({ path }) => path.startsWith("/v1/desk/_admin/data/"));
    const checks = administered.filter(({ path }) => path.endsWith("/_check"));
    expect(checks).toHaveLength(realm.databases.flatMap(({ collections }) => collections).length);
    const imports = administered.filter(({ path }) => path.endsWith("/_import"));
    expect(imports).toHaveLength(checks.length);
    const belonging = administered.filter(({ path }) => /\/(_transfer|_assign_org)$/.test(path));
    expect(belonging).toHaveLength(2);
    expect(administered).toHaveLength(own.length + checks.length + imports.length + belonging.length);
    for (const { method, path, operation: each } of own) {
      const twin = administered.find(
        (other) => other.method === method && other.path === path.replace("/desk/", "/desk/_admin/data/"),
      );
      expect(twin?.operation.parameters).toEqual(each.parameters);
      expect(twin?.operation.requestBody).toEqual(each.requestBody);
      expect(bodyOf(document, twin?.operation)).toEqual(bodyOf(document, each));
      expect(twin?.operation.security).not.toContainEqual({});
      expect(codes(document, twin?.operation.operationId ?? "", 401)).toEqual([
        "reauth_required",
        "unauthenticated",
      ]);
    }
  });

  test("Administrator routes: API keys cannot make documents that have their user's id", () => {
    const document = documentOf({ databases: { db: { things: { schema, ...customId({ is: "user" }) } } } });
    expect(operation(document, "adminDataCreateDbThingsDocument").security).toEqual([{ session: [] }]);
    expect(operation(document, "adminDataListDbThings").security).toEqual([{ session: [] }, { api_key: [] }]);
    const users = { db: { things: { schema, ...customId({ is: "user" }) } } };
    const withTokens = documentOf({ tokens: true, databases: users });
    // A personal token has the id of its user.
    expect(operation(withTokens, "adminDataCreateDbThingsDocument").security).toEqual([
      { session: [] },
      { api_key: [] },
    ]);
  });

  test("Authentication 5: a key's user is named on documents, nowhere else", () => {
    const document = documentOf({ databases: { db: { things: { schema } } } });
    const naming = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      JSON.stringify(item?.parameters).includes("OnBehalfOf") ? [path] : [],
    );
    expect(naming).toEqual(["/v1/desk/db/things", "/v1/desk/db/things/{id}", "/v1/desk/db/_batch"]);
  });

  test("is called as the configuration says, and by the realm's name and no license where it says nothing", () => {
    const about = documentOf({}).info;
    expect(about).toMatchObject({ title: "desk", version: "1", license: { identifier: "NOASSERTION" } });
    const license = { name: "Apache-2.0", identifier: "Apache-2.0" };
    const contact = { email: "api@example.com" };
    const apiInfo = { title: "Helpdesk", version: "2026-11", license, contact };
    expect(documentOf({ apiInfo }).info).toEqual({ ...about, ...apiInfo });
  });

  test("Authentication 8: names the operations that need a fresh proof of identity", () => {
    const document = documentOf({ totp: true, organizations });
    const needing = operations(document)
      .map((each) => each.operation.operationId ?? "")
      .filter((id) => parameters(document, id).some((name) => name.startsWith("Reauth")));
    expect(needing.sort()).toEqual([
      "adminDeleteOrganization",
      "adminDeleteUser",
      "adminRemoveUserFactor",
      "changeEmail",
      "deleteOrganization",
      "deleteOwnUser",
      "enrolTotp",
      "patchOrganization",
      "removeTotp",
      "renewRecoveryCodes",
    ]);
    for (const id of needing) expect(codes(document, id, 401)).toContain("reauth_required");
  });

  test("tells of second factors where users may enrol them, and of invitations where sign-up needs them", () => {
    const totp = (document: OpenAPIV3_1.Document) =>
      Object.keys(document.paths ?? {}).filter((path) => path.includes("/mfa/"));
    expect(totp(documentOf({}))).toEqual([]);
    expect(totp(documentOf({ totp: true }))).toHaveLength(3);
    const needed = (signup: "open" | "invite") =>
      documentOf({ signup }).components?.schemas?.SignupRequest?.required;
    expect(needed("open")).toEqual(["email", "password"]);
    expect(needed("invite")).toEqual(["email", "password", "invitation"]);
    expect(documentOf({ signup: "closed" }).paths).not.toHaveProperty(["/v1/desk/_auth/signup"]);
  });

  test("sign-up refuses only where an invitation may be missing or a cookie be asked for", () => {
    const sessions = { lifetime: 1, idleTimeout: 1, adminIdleTimeout: 1, adminMaxLifetime: 1 };
    const withCookies = { ...sessions, cookie: { sameSite: "lax" } } as const;
    const refusals = (further: Parameters<typeof documentOf>[0]) => codes(documentOf(further), "signUp", 403);
    expect(refusals({ signup: "open" })).toEqual([]);
    expect(refusals({ signup: "invite" })).toEqual(["forbidden"]);
    expect(refusals({ signup: "open", sessions: withCookies })).toEqual(["forbidden"]);
  });

  test("has restore, purge and the trash only where documents are deleted softly", () => {
    const document = documentOf({
      databases: { db: { hard: { schema }, soft: { schema, softDelete: {} } } },
    });
    expect(document.paths).not.toHaveProperty(["/v1/desk/db/hard/{id}/restore"]);
    expect(document.paths).toHaveProperty(["/v1/desk/db/soft/{id}/restore"]);
    expect(parameters(document, "listDbHard")).not.toContain("Deleted");
    expect(parameters(document, "listDbSoft")).toContain("Deleted");
    expect(parameters(document, "deleteDbHardDocument")).toEqual(["IfMatch", "IfNoneMatchOfWrite"]);
    expect(parameters(document, "deleteDbSoftDocument")).toEqual(["Purge", "IfMatch", "IfNoneMatchOfWrite"]);
    expect(document.components?.schemas?.DbHardDocument?.properties?._meta).toEqual({
      $ref: "#/components/schemas/Meta",
    });
  });

  test("Errors: names the codes that each operation can answer", () => {
    const document = documentOf({
      databases: {
        db: {
          plain: { schema },
          chosen: { schema, ...customId({}) },
          numbered: { schema, indexes: [uniqueIndex] },
        },
      },
    });
    expect(codes(document, "createDbPlainDocument", 400)).toContain("id_not_allowed");
    expect(codes(document, "createDbPlainDocument", 409)).toEqual(["request_in_progress"]);
    expect(codes(document, "createDbPlainDocument", 429)).toEqual([]);
    expect(codes(document, "createDbChosenDocument", 400)).toEqual(
      expect.arrayContaining(["id_required", "invalid_id"]),
    );
    expect(codes(document, "createDbChosenDocument", 409)).toContain("id_taken");
    expect(codes(document, "createDbChosenDocument", 429)).toEqual(["too_many_requests"]);
    expect(codes(document, "createDbNumberedDocument", 409)).toContain("conflict");
    expect(codes(document, "patchDbNumberedDocument", 409)).toEqual(["conflict", "write_conflict"]);
    expect(codes(document, "patchDbPlainDocument", 412)).toEqual(["version_mismatch"]);
    expect(codes(document, "logIn", 401)).toEqual(["invalid_credentials", "mfa_required"]);
    expect(codes(document, "batchDb", 409)).toEqual(
      expect.arrayContaining(["conflict", "id_taken", "request_in_progress", "write_conflict"]),
    );
  });

  const anonymous = {};
  const session = { session: [] };
  const key = { api_key: [] };

  test.each<[Allowed | undefined, Allowed | undefined, readonly object[]]>([
    ["everyone", "everyone", [anonymous, session, key]],
    ["anyone", "anyone", [anonymous, session, key]],
    ["anyone", "users", [session, key]],
    ["users", "anyone", [session, key]],
    ["anyone", "nobody", [key]],
    ["anyone", undefined, [key]],
    [undefined, "anyone", [key]],
  ])(
    "Authentication: with read rule for %s and update rule for %s a patch needs what the rules need",
    (readers, writers, expected) => {
      const rules = { ...(readers && { read: readers }), ...(writers && { update: writers }) };
      const document = documentOf({ databases: { db: { things: { schema, rules } } } });
      expect(operation(document, "patchDbThingsDocument").security).toEqual(expected);
    },
  );

  test("Authentication: the session cookie is a credential where the realm has one", () => {
    const sessions = {
      lifetime: 1,
      idleTimeout: 1,
      adminIdleTimeout: 1,
      adminMaxLifetime: 1,
      cookie: { sameSite: "lax" },
    } as const;
    const document = documentOf({ sessions });
    expect(operation(document, "getOwnUser").security).toEqual([session, { session_cookie: [] }]);
    expect(document.components?.securitySchemes?.session_cookie).toMatchObject({
      in: "cookie",
      name: "svc_session_desk",
    });
  });

  test("hides nothing of a rule's text, only its facts count", () => {
    const { realm, rules } = desk();
    const renamed = new Map(
      [...rules.collections].map(([name, compiled]) => [
        name,
        {
          ...compiled,
          rules: Object.fromEntries(
            Object.entries(compiled.rules).map(([rule, own]) => [
              rule,
              { ...own, text: "other", origin: "elsewhere" },
            ]),
          ),
        },
      ]),
    );
    const other = openapiDocument(realm, { ...rules, collections: renamed });
    expect(JSON.stringify(other)).toBe(JSON.stringify(openapiDocument(realm, rules)));
  });

  test("Concurrency 5: tells of public caching where there is some", () => {
    const document = documentOf({
      databases: { db: { open: { schema, ...publicCache }, shut: { schema } } },
    });
    const headers = (id: string) => responseOf(document, operation(document, id), 200)?.headers;
    expect(headers("listDbOpen")).toHaveProperty("Cache-Control");
    expect(headers("listDbShut")).not.toHaveProperty("Cache-Control");
    expect(headers("adminDataListDbOpen")).not.toHaveProperty("Cache-Control");
  });
});
