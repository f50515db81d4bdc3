import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collection } from "../../documents/testing/shop.ts";
import { field, organizationFields, teamFields } from "../../filter/fields.ts";
import { textIndex } from "../../filter/search/index.ts";
import type { JsonObject } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { OrganizationSettings } from "../../realm/organizations.ts";
import { allowed, byCaller, denied } from "../../rules/constant.ts";
import { isEmbedded, testPlace } from "../../store/testing/stores.ts";
import { type Accounts, startAccounts } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

const fields = {
  id: field("id", "string"),
  title: field("title", ["string", "null"]),
  tags: field("lines.tags", "string", ["lines", "lines.tags"]),
};
const tickets: CollectionDefinition = collection("tickets", {
  fields: { ...fields, ...organizationFields, ...teamFields },
  organization: { required: true, teams: "optional", onDelete: "delete" },
});
const notes: CollectionDefinition = collection("notes", {
  fields,
  indexes: [{ name: "by_title", keys: [{ field: fields.title, descending: true }], unique: true }],
  text: textIndex({ fields: [{ field: fields.title, weight: 3 }], defaultLanguage: "en" }),
  references: {
    parent: { database: "main", collection: "notes", field: fields.title, key: "id", many: false },
    others: { database: "main", collection: "notes", field: fields.tags, key: "id", many: true },
  },
  rules: { read: allowed, create: byCaller(({ user }) => user !== undefined), update: denied },
  fieldRules: [{ path: ["title"], write: byCaller(() => false) }],
  expand: { maxDocs: 10 },
  aggregate: { groupBy: [fields.title], metrics: [{ field: fields.title, functions: ["distinct"] }] },
  publicMaxAge: 60,
  softDelete: { retention: 90 * 60_000 },
  customId: { pattern: /^[a-z]+$/u, duplicateLimit: 5 },
});

const organizations: OrganizationSettings = {
  create: allowed.check,
  roles: [
    { name: "member", manage: [] },
    { name: "owner", manage: ["org", "members"] },
  ],
  creatorRoles: ["owner"],
  defaultRoles: ["member"],
  teamRoles: [{ name: "lead", grants: ["lead"] }],
  membersVisibleTo: "managers",
  allowRequireMfa: true,
  maxTeamsPerOrg: 50,
  maxTeamsPerMember: 20,
  maxPendingInvitations: 500,
};

let server: Accounts;
let root: string;
beforeAll(async () => {
  const definition = { collections: [notes, tickets, collection("bare")], appConfig: { trial_days: 14 } };
  server = await startAccounts(
    {
      email: { from: "Shop <shop@example.com>", resetLink: "https://example.com/{token}" },
      organizations,
    },
    { definition, fingerprint: "abc123" },
  );
  root = await server.adminKey(["config"]);
});
afterAll(() => server.stop());

const get = (path = "", token = root, realm = "shop") =>
  server.send("GET", `/_admin/config${path}`, { token }, realm);
const put = (body: JsonObject, token = root, realm = "shop") =>
  server.send("PUT", "/_admin/config/app", { token, body }, realm);

describe("Administrator routes: GET /_admin/config", () => {
  it("the fingerprint, and the realm in the terms of realm.yaml, defaults filled in", async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["fingerprint", "realm", "databases"]);
    expect(body["fingerprint"]).toBe("abc123");
    expect(body["realm"]).toEqual({
      name: "shop",
      auth: "enabled",
      signup: "open",
      signup_limit: { address: "9999/h", network: "9999/h" },
      roles: {
        agent: {},
        boss: { admin: true },
        reader: { admin: "read" },
        keymaster: { admin: ["apikeys", "users"] },
        host: { admin: ["invitations"] },
        auditor: { admin: ["audit", "config", "secrets"] },
        librarian: { admin: ["data"] },
      },
      default_roles: [],
      profile: false,
      sessions: {
        lifetime: "30d",
        idle_timeout: "7d",
        cookie: { enabled: false },
        admin_idle_timeout: "15m",
        admin_max_lifetime: "8h",
      },
      mfa: { totp: false },
      email: {
        from: "Shop <shop@example.com>",
        reset_link: "https://example.com/{token}",
        verify_link: null,
      },
      organizations: {
        create: true,
        roles: { member: { manage: [] }, owner: { manage: ["org", "members"] } },
        creator_roles: ["owner"],
        default_roles: ["member"],
        team_roles: { lead: { grants: ["lead"] } },
        max_created_per_user: null,
        members_visible_to: "managers",
        allow_require_mfa: true,
        invitation_link: null,
        max_teams_per_org: 50,
        max_teams_per_member: 20,
        max_pending_invitations: 500,
      },
      cors: { origins: ["https://app.example.com"] },
      admin: { allowed_networks: null, read_access: { users: false, data: false } },
      openapi: "public",
      app_config: { trial_days: 14 },
    });
  });

  it("its collections in those of collection.yaml: of rules only whether they are true, false or an expression", async () => {
    const { databases } = (await get()).body;
    expect(databases).toMatchObject({ main: { notes: {}, bare: {} } });
    expect(Object(databases).main.notes).toEqual({
      schema: {
        title: { types: ["string", "null"] },
        "lines.tags": { types: ["string"], arrays: ["lines", "lines.tags"] },
      },
      indexes: [{ name: "by_title", fields: ["-title"], unique: true }],
      text: { fields: { title: 3 }, default_language: "en", language_field: null },
      rules: { create: "expression", read: true, update: false, delete: false, restore: false, purge: false },
      fields: { title: { read: true, write: "expression" } },
      references: {
        parent: { database: "main", collection: "notes", field: "title", key: "id", many: false },
        others: {
          database: "main",
          collection: "notes",
          field: "lines.tags",
          key: "id",
          many: true,
          max_expand: 100,
        },
      },
      aggregate: { group_by: ["title"], metrics: { title: ["distinct"] } },
      cache: { public: true, max_age: 60 },
      soft_delete: { retention: "90m" },
      custom_id: { pattern: "^[a-z]+$", duplicate_limit: 5 },
      expand: { max_depth: 2, max_paths: 5, max_array: 100, max_docs: 10 },
    });
    expect(Object(databases).main.bare).toMatchObject({
      text: null,
      references: {},
      aggregate: null,
      cache: { public: false },
      soft_delete: false,
      custom_id: false,
    });
    expect(Object(databases).main.bare).not.toHaveProperty("organization");
    expect(Object(databases).main.tickets).toMatchObject({
      schema: { title: {} },
      organization: "required",
      teams: "optional",
      on_org_delete: "delete",
    });
    expect(Object.keys(Object(databases).main.tickets.schema)).not.toContain("_meta.org");
  });

  it("with auth: disabled it says so, and has nothing of accounts", async () => {
    const { body } = await get("", await server.adminKey(true, "plain"), "plain");
    expect(body["realm"]).toEqual({
      name: "plain",
      auth: "disabled",
      cors: { origins: ["https://app.example.com"] },
      admin: { allowed_networks: null },
      openapi: "public",
      app_config: { trial_days: 14 },
    });
  });
});

describe("Administrator routes: /_admin/config/app", () => {
  it("is what realm.yaml says, until it is replaced: as a bare object", async () => {
    const token = await server.adminKey(["config"], "other");
    expect((await get("/app", token, "other")).body).toEqual({ trial_days: 14 });
    const answer = await put({ trial_days: 30, nested: { open: [true, null] } }, token, "other");
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ trial_days: 30, nested: { open: [true, null] } });
    expect((await get("/app", token, "other")).body).toEqual(answer.body);
    expect(Object((await get("", token, "other")).body["realm"]).app_config).toEqual(answer.body);
    await put({}, token, "other");
    expect((await get("/app", token, "other")).body).toEqual({});
    expect((await get("/app")).body).toEqual({ trial_days: 14 });
  });

  it("members named like prototypes are plain data", async () => {
    const sent = '{"__proto__":{"admin":true},"constructor":1}';
    await server.send("PUT", "/_admin/config/app", { token: root, text: sent });
    expect(JSON.stringify((await get("/app")).body)).toBe(sent);
  });

  it.each<[string, string, number, string]>([
    ["an array", "[]", 400, "invalid_json"],
    ["nothing", "", 400, "invalid_json"],
    ["a member name with a dot", '{"a":{"b.c":1}}', 400, "validation_error"],
    ["an integer that is none", '{"n":9007199254740993}', 400, "validation_error"],
    ["more than 65,536 characters", JSON.stringify({ a: "x".repeat(65_530) }), 400, "validation_error"],
  ])("refuses %s and keeps what was there", async (_, text, status, code) => {
    await put({ kept: true });
    const answer = await server.send("PUT", "/_admin/config/app", { token: root, text });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect((await get("/app")).body).toEqual({ kept: true });
  });

  it("outlasts a restart", async () => {
    const place = testPlace();
    const settings = { store: place.location };
    try {
      const first = await startAccounts({}, { settings });
      const token = await first.adminKey(["config"]);
      await first.send("PUT", "/_admin/config/app", { token, body: { day: 1 } });
      await first.stop();
      const second = await startAccounts({}, { settings, definition: { appConfig: { day: 0 } } });
      expect((await second.send("GET", "/_admin/config/app", { token })).body).toEqual({ day: 1 });
      await second.stop();
    } finally {
      await place.discard();
    }
  });

  it.runIf(!isEmbedded)("other instances on the store see it within a second", async () => {
    const place = testPlace();
    const settings = { store: place.location };
    const [here, there] = [await startAccounts({}, { settings }), await startAccounts({}, { settings })];
    try {
      const token = await here.adminKey(["config"]);
      const read = async (from: Accounts) => (await from.send("GET", "/_admin/config/app", { token })).body;
      expect(await read(there)).toEqual({});
      await here.send("PUT", "/_admin/config/app", { token, body: { day: 1 } });
      expect(await read(here)).toEqual({ day: 1 });
      there.clock.advance(1_000);
      expect(await read(there)).toEqual({ day: 1 });
    } finally {
      await here.stop();
      await there.stop();
      await place.discard();
    }
  });

  it("of many at once one is kept whole, each audited without content", async () => {
    const token = await server.adminKey(true, "plain");
    const bodies = Array.from({ length: 5 }, (_, at) => ({ [`member${at}`]: at }));
    const answers = await Promise.all(bodies.map((body) => put(body, token, "plain")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(bodies).toContainEqual((await get("/app", token, "plain")).body);
    const records = await auditOf(server, "config:app", "plain");
    expect(records.map(({ action, details }) => [action, details])).toEqual(
      bodies.map(() => ["config.app", {}]),
    );
    expect(JSON.stringify(records)).not.toContain("member");
  });
});
