import type { OpenAPIV3_1 } from "openapi-types";
import { describe, expect, test } from "vitest";
import { jobRoutes } from "../../runtime/jobs/routes.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { organizationAdministrationRoutes } from "../../runtime/organizations/administration/routes.ts";
import { organizationRoutes } from "../../runtime/organizations/routes.ts";
import type { RouteTable } from "../../runtime/realm/exchange.ts";
import { organizations } from "../testing/models.ts";
import { text } from "./testing/models.ts";
import { codes, documentOf, operation, operations, parameters } from "./testing/reading.ts";

const schema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };

describe("the OpenAPI document of a realm with organizations", () => {
  test("Organization endpoints: describes every route of organizations, of their administrators and of jobs", () => {
    const routesOf = (tables: readonly ((realm: string) => RouteTable)[]): readonly string[] =>
      tables
        .flatMap((table) =>
          Object.entries(table("desk")).flatMap(([path, methods]) =>
            Object.keys(methods).map((method) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`),
          ),
        )
        .sort();
    const described = (of: OpenAPIV3_1.Document): readonly string[] =>
      operations(of)
        .filter(({ path }) => /\/_orgs\b|\/_admin\/(?:orgs|jobs)\b/.test(path))
        .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
        .sort();
    expect(described(documentOf({ organizations }))).toEqual(
      routesOf([organizationRoutes, organizationAdministrationRoutes, jobRoutes]),
    );
    // Every realm has jobs.
    expect(described(documentOf({}))).toEqual(routesOf([jobRoutes]));
    expect(described(documentOf({ auth: false }))).toEqual(routesOf([jobRoutes]));
  });

  test("Organization endpoints: what members of one are answered is said of each route", () => {
    const document = documentOf({ organizations });
    const own = operations(document).filter(({ path }) => path.includes("/_orgs/{org}"));
    for (const { operation: each } of own) {
      const id = each.operationId ?? "";
      expect(each.security).toEqual([{ session: [] }]);
      const also = id === "leaveOrganization" ? [] : ["org_requires_mfa"];
      expect(codes(document, id, 403)).toEqual(["forbidden", "not_org_member", ...also]);
      expect(codes(document, id, 401)).toContain("unauthenticated");
    }
    expect(own).toHaveLength(22);
    expect(codes(document, "acceptInvitation", 403)).toEqual([
      "forbidden",
      "invitation_not_for_you",
      "org_requires_mfa",
    ]);
  });

  test("Organization: members show their address as the realm says, and its roles", () => {
    const member = (membersVisibleTo: "members" | "managers" | "nobody") =>
      documentOf({ organizations: { ...organizations, membersVisibleTo } }).components?.schemas?.Member;
    expect(member("members")?.properties).toHaveProperty("email");
    expect(member("managers")?.properties).toHaveProperty("email");
    // Service members have none.
    expect(member("members")?.required).toEqual(expect.not.arrayContaining(["email", "name", "mfa"]));
    expect(member("nobody")?.properties).not.toHaveProperty("email");
    expect(member("members")?.properties?.roles).toMatchObject({ items: { enum: ["member", "owner"] } });
  });

  test("Organization: members show of their profiles what the realm says, typed by its schema", () => {
    const shown = (profile: JsonObject | undefined, membersShow: readonly string[]) =>
      documentOf({ ...(profile && { profile }), organizations: { ...organizations, membersShow } }).components
        ?.schemas?.Member;
    const name = { type: "string", maxLength: 9 };
    const plain = { type: "object", properties: { name, born: { type: "string" } }, required: ["born"] };
    expect(shown(plain, [])?.properties).not.toHaveProperty("profile");
    expect(shown(plain, ["name"])?.required).not.toContain("profile");
    expect(shown(plain, ["name"])?.properties?.profile).toEqual({
      description: "Of users: what the realm shows of their profiles, as far as they have it.",
      type: "object",
      properties: { name },
      additionalProperties: false,
    });
    const either = { anyOf: [plain, { type: "object", properties: { name: { type: "integer" } } }] };
    expect(shown(either, ["name"])?.properties?.profile).toMatchObject({
      type: "object",
      allOf: [{ anyOf: [{ properties: { name } }, { properties: { name: { type: "integer" } } }] }],
      propertyNames: { enum: ["name"] },
    });
  });

  test("Organization endpoints 6: a proof is asked for to require a second factor, and to allow keys", () => {
    const document = documentOf({ organizations });
    expect(parameters(document, "patchOrganization")).toEqual(["ReauthOfOrganization"]);
    expect(codes(document, "patchOrganization", 401)).toEqual(["reauth_required", "unauthenticated"]);
  });

  test("Organization keys are there where they are configured", () => {
    const has = (keys: boolean) =>
      Object.keys(documentOf({ organizations: { ...organizations, keys } }).paths ?? {}).filter((path) =>
        path.includes("/keys"),
      );
    expect(has(true)).toHaveLength(has(false).length + 3);
  });

  test("has organizations and teams only where documents belong to them", () => {
    const document = documentOf({
      organizations,
      databases: {
        db: {
          plain: { schema },
          shared: { schema, organization: { required: false, onDelete: "keep" } },
          owned: {
            schema,
            ...text("name"),
            organization: { required: true, teams: "required", onDelete: "keep" },
          },
        },
      },
    });
    const about = (id: string) => parameters(document, id).filter((name) => /Org|Team/.test(name));
    expect(about("listDbPlain")).toEqual([]);
    expect(about("createDbPlainDocument")).toEqual([]);
    expect(about("listDbShared")).toEqual(["OrgOfList"]);
    expect(about("createDbSharedDocument")).toEqual(["OrgOfCreate"]);
    expect(about("patchDbSharedDocument")).toEqual(["OrgOfUpdate"]);
    expect(about("listDbOwned")).toEqual(["OrgOfList", "TeamOfList"]);
    expect(about("createDbOwnedDocument")).toEqual(["RequiredOrgOfCreate", "RequiredTeamOfCreate"]);
    expect(about("batchDb")).toEqual(["OrgOfBatch", "TeamOfBatch"]);
    const named = (id: string, status: number) =>
      codes(document, id, status).filter((code) => /org|team|immutable/.test(code));
    expect(named("createDbPlainDocument", 400)).toEqual(["org_not_allowed", "team_not_allowed"]);
    expect(named("createDbSharedDocument", 400)).toEqual(["team_not_allowed"]);
    expect(named("createDbOwnedDocument", 400)).toEqual(["org_required", "team_required"]);
    expect(named("createDbPlainDocument", 403)).toEqual([]);
    expect(named("createDbSharedDocument", 403)).toEqual(["not_org_member"]);
    expect(named("replaceDbPlainDocument", 400)).toEqual([]);
    expect(named("replaceDbOwnedDocument", 400)).toEqual(["immutable_field"]);
    const members = (schemaName: string) =>
      Object.keys(document.components?.schemas?.[schemaName]?.properties ?? {});
    expect(members("Meta")).not.toContain("org");
    expect(members("OrganizationMeta")).toContain("org");
    expect(members("OrganizationMeta")).not.toContain("team");
    expect(members("SearchableTeamMeta")).toEqual(expect.arrayContaining(["org", "team", "score"]));
    expect(members("DbSharedTransfer")).toEqual(["org"]);
    expect(members("DbOwnedTransfer")).toEqual(["org", "team"]);
    expect(codes(document, "adminDataTransferDbOwnedDocument", 400)).toContain("team_required");
    expect(Object.keys(operation(document, "adminDataAssignOrgToDbOwned").responses ?? {})).toEqual(
      expect.arrayContaining(["200", "202"]),
    );
    expect(operations(document).filter(({ path }) => /plain.*_(transfer|assign_org)/.test(path))).toEqual([]);
  });
});
