/** Functions in OpenAPI documents: those of the helpdesk with functions, and of the realm that their emission is tested with. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { OpenAPIV3_1 } from "openapi-types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyse } from "../../compiler/pipeline.ts";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { codesOf as codesOfDocument } from "./codes.ts";
import { openapiDocument } from "./document.ts";
import { codesOf, responseOf } from "./testing/models.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "realmc-openapi-"));
afterAll(() => rmSync(folder, { recursive: true }));

const documents = new Map<string, OpenAPIV3_1.Document>();
beforeAll(async () => {
  cpSync(path("../../examples/helpdesk"), join(folder, "helpdesk"), { recursive: true });
  cpSync(path("testdata/helpdesk"), join(folder, "helpdesk"), { recursive: true });
  cpSync(path("../functions/testdata/config/shop"), join(folder, "shop"), { recursive: true });
  const { realms, diagnostics } = await analyse(folder, { handlers: "none" });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  for (const { realm, rules } of realms) documents.set(realm.name, openapiDocument(realm, rules));
});

function documentOf(realm: string): OpenAPIV3_1.Document {
  const document = documents.get(realm);
  if (document === undefined) throw new Error(`no realm ${realm}`);
  return document;
}

function operation(
  realm: string,
  way: "post" | "get" | "delete",
  below: string,
): OpenAPIV3_1.OperationObject {
  const found = documentOf(realm).paths?.[`/v1/${realm}${below}`]?.[way];
  if (found === undefined) throw new Error(`no ${way} ${below}`);
  return found;
}

/** Of `$ref`s to components, what stands there. */
function resolved(realm: string, value: object | undefined): JsonValue {
  let found: JsonValue = JSON.parse(JSON.stringify(value ?? null));
  while (isJsonObject(found) && typeof found["$ref"] === "string") {
    let there: JsonValue = JSON.parse(JSON.stringify(documentOf(realm)));
    for (const step of found["$ref"].slice(2).split("/"))
      there = isJsonObject(there) ? (there[step] ?? null) : null;
    found = there;
  }
  return found;
}

function parametersOf(realm: string, { parameters = [] }: OpenAPIV3_1.OperationObject): readonly JsonValue[] {
  return parameters.map((each) => resolved(realm, each));
}

test.each(["helpdesk", "shop"])("the document of %s is valid OpenAPI 3.1", async (realm) => {
  expect(await new Validator().validate({ ...documentOf(realm) })).toEqual({ valid: true });
});

test("there are operations of what requests can do with functions, and of no others", () => {
  const ofFunctions = Object.entries(documentOf("helpdesk").paths ?? {}).flatMap(([at, item]) =>
    /\/_func\/|\/_jobs\/|\/_admin\/functions/.test(at)
      ? (["get", "post", "delete"] as const).flatMap((way) => {
          const id = item?.[way]?.operationId;
          return id === undefined ? [] : [`${id} ${way} ${at}`];
        })
      : [],
  );
  expect(ofFunctions).toEqual([
    "callSupportClose post /v1/helpdesk/support/_func/close",
    "webhookSupportInbound post /v1/helpdesk/support/_func/inbound",
    "getJobOfSupport get /v1/helpdesk/support/_jobs/{id}",
    "cancelJobOfSupport delete /v1/helpdesk/support/_jobs/{id}",
    "adminListFunctions get /v1/helpdesk/_admin/functions",
    "adminListInvocations get /v1/helpdesk/_admin/functions/{database}/{fn}/invocations",
    "adminRunFunction post /v1/helpdesk/_admin/functions/{database}/{fn}/run",
  ]);
});

describe("A call", () => {
  test("takes its input and answers its output", () => {
    const { schemas } = documentOf("helpdesk").components ?? {};
    expect(operation("helpdesk", "post", "/support/_func/close")).toMatchObject({
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/SupportCloseArguments" } } },
      },
      responses: {
        "200": {
          content: { "application/json": { schema: { $ref: "#/components/schemas/SupportCloseResult" } } },
        },
      },
      tags: ["support"],
    });
    expect(schemas?.["SupportCloseArguments"]).toMatchObject({ required: ["ticket", "reason"] });
    expect(schemas?.["SupportCloseResult"]).toMatchObject({ required: ["ticket", "reply"] });
  });

  test("of a schema in a file of its own names what stands in it after itself", () => {
    const { schemas = {} } = documentOf("shop").components ?? {};
    expect(Object.keys(schemas).filter((name) => name.startsWith("SalesClose"))).toEqual([
      "SalesCloseArguments",
      "SalesCloseInputLine",
      "SalesCloseResult",
    ]);
  });

  test("without input needs no body, and without output returns anything", () => {
    expect(operation("shop", "post", "/sales/_func/delete")).toMatchObject({
      requestBody: { required: false },
      responses: {
        "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/AnyResult" } } } },
      },
    });
    expect(documentOf("shop").components?.schemas?.["AnyResult"]).toEqual({});
    expect(documentOf("shop").components?.schemas?.["NoArguments"]).toMatchObject({
      additionalProperties: false,
    });
  });

  test("is queued by async=true: 202 with the job's id and path", () => {
    const call = operation("helpdesk", "post", "/support/_func/close");
    expect(parametersOf("helpdesk", call)).toContainEqual(
      expect.objectContaining({ name: "async", in: "query", schema: { type: "boolean", default: false } }),
    );
    expect(call.responses?.["202"]).toMatchObject({
      content: { "application/json": { schema: { $ref: "#/components/schemas/QueuedJob" } } },
      headers: { Location: { $ref: "#/components/headers/JobLocation" } },
    });
  });

  test("takes an Idempotency-Key as declared", () => {
    const keyOf = (realm: string, below: string) =>
      parametersOf(realm, operation(realm, "post", below)).filter(
        (each) => isJsonObject(each) && each["name"] === "Idempotency-Key",
      );
    const [optional] = keyOf("helpdesk", "/support/_func/close");
    expect(optional).not.toHaveProperty("required");
    expect(keyOf("shop", "/sales/_func/close")).toEqual([expect.objectContaining({ required: true })]);
    const codes = (below: string) =>
      codesOf(responseOf(documentOf("shop"), operation("shop", "post", below), 400));
    expect(codes("/sales/_func/close")).toContain("idempotency_key_required");
    expect(codes("/sales/_func/delete")).not.toContain("idempotency_key_required");
  });

  test("answers every error of its row, and codes of its own with any status from 400 to 499", () => {
    const document = documentOf("helpdesk");
    const call = operation("helpdesk", "post", "/support/_func/close");
    const codes = Object.fromEntries(
      Object.keys(call.responses ?? {})
        .filter((status) => Number(status) >= 400)
        .map((status) => [status, codesOf(responseOf(document, call, Number(status)))]),
    );
    expect(codes).toEqual({
      "400": ["invalid_header", "invalid_json", "invalid_query", "validation_error"],
      "401": ["unauthenticated"],
      "403": ["forbidden"],
      "409": ["request_in_progress"],
      "413": ["payload_too_large"],
      "415": ["unsupported_media_type"],
      "422": ["idempotency_key_reused"],
      "429": ["too_many_requests"],
      "500": ["function_failed", "internal_error", "invalid_output"],
      "503": ["unavailable"],
      "504": ["function_timeout"],
    });
    const own = { pattern: "^[a-z][a-z0-9_]*$" };
    const codeIn = (status: string) => JSON.stringify(resolved("helpdesk", call.responses?.[status]));
    expect(codeIn("4XX")).toContain(JSON.stringify({ type: "string", ...own }));
    expect(codeIn("403")).toContain(
      JSON.stringify({ type: "string", anyOf: [{ enum: ["forbidden"] }, own] }),
    );
    expect(codeIn("504")).toContain(JSON.stringify({ type: "string", enum: ["function_timeout"] }));
    expect(codesOfDocument(JSON.parse(JSON.stringify(document)))).toEqual(
      expect.arrayContaining(["function_failed", "function_timeout", "secret_missing"]),
    );
  });

  test("names whom its rule lets", () => {
    const { security, description } = operation("helpdesk", "post", "/support/_func/close");
    expect(security).not.toContainEqual({});
    expect(security).toContainEqual({ session: [] });
    expect(description).toContain("Decided by the rule `invoke`");
    expect(operation("shop", "post", "/sales/_func/delete")).toMatchObject({
      security: [{ api_key: [] }],
      description: expect.stringContaining("for API keys only"),
    });
  });
});

test("a webhook takes any bytes of anybody and answers what it likes", () => {
  const webhook = operation("helpdesk", "post", "/support/_func/inbound");
  expect(webhook.security).toContainEqual({});
  expect(webhook.requestBody).toMatchObject({ required: false, content: { "*/*": {} } });
  for (const status of ["200", "default"])
    expect(resolved("helpdesk", webhook.responses?.[status])).toMatchObject({ content: { "*/*": {} } });
  expect(parametersOf("helpdesk", webhook)).toEqual([]);
  const codes = [413, 500].flatMap((status) => codesOf(responseOf(documentOf("helpdesk"), webhook, status)));
  expect(codes).toEqual([
    "payload_too_large",
    "function_failed",
    "internal_error",
    "invalid_output",
    "secret_missing",
  ]);
});

test("jobs are fetched and cancelled by those who queued them", () => {
  const fetched = operation("helpdesk", "get", "/support/_jobs/{id}");
  expect(fetched.security).not.toContainEqual({});
  expect(resolved("helpdesk", fetched.responses?.["200"])).toMatchObject({
    content: { "application/json": { schema: { $ref: "#/components/schemas/FunctionJob" } } },
  });
  const cancelled = operation("helpdesk", "delete", "/support/_jobs/{id}");
  expect(codesOf(responseOf(documentOf("helpdesk"), cancelled, 409))).toEqual(["conflict"]);
});
