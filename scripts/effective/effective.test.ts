/** What administrators read of the configuration in effect, of compiled realms. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";

let server: Started;
beforeAll(async () => {
  const config = fileURLToPath(new URL("config", import.meta.url));
  server = await startRealm([await compileRealm(config, "shop"), await compileRealm(config, "plain")]);
});
afterAll(() => server.stop());

async function effective(realm: string) {
  const token = await createKey(server.store(realm), server.clock, {
    name: "ops",
    admin: true,
    replace: true,
  });
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${server.url}/v1/${realm}/_admin/config`, { headers });
  return JSON.parse(await response.text());
}

test("GET /_admin/config: the realm in the terms of realm.yaml, defaults filled in", async () => {
  expect(JSON.stringify((await effective("shop")).realm, null, 1)).toBe(
    JSON.stringify(
      {
        name: "shop",
        auth: "enabled",
        signup: "open",
        signup_limit: { address: "60/m", network: "100/h" },
        roles: {
          agent: {},
          auditor: { admin: ["secrets", "audit", "config"] },
          boss: { admin: true },
          reader: { admin: "read" },
        },
        default_roles: ["agent"],
        profile: false,
        sessions: {
          lifetime: "30d",
          idle_timeout: "7d",
          cookie: { enabled: true, same_site: "lax" },
          admin_idle_timeout: "15m",
          admin_max_lifetime: "8h",
        },
        mfa: { totp: false },
        tokens: {
          personal: true,
          max_lifetime: "90d",
          scopes: { read: "*", write: ["main/notes"], admin: ["users", "audit"] },
        },
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
          members_show: [],
          allow_require_mfa: false,
          keys: true,
          invitation_link: null,
          invitations_sign_up: true,
          invitation_mail: { names: true },
          max_teams_per_org: 50,
          max_teams_per_member: 20,
          max_pending_invitations: 500,
        },
        cors: { origins: ["https://app.example.com"] },
        admin: { allowed_networks: null, read_access: { users: false, data: true } },
        openapi: "public",
        app_config: { trial_days: 14 },
      },
      null,
      1,
    ),
  );
});

test("GET /_admin/config: a collection in the terms of collection.yaml; of rules only whether they are true, false or an expression", async () => {
  const { databases } = await effective("shop");
  expect(Object.keys(databases.main)).toEqual(["bare", "notes", "tickets"]);
  const reference = { database: "main", collection: "bare", field: "ids", key: "id", many: true };
  expect(JSON.stringify(databases.main.notes, null, 1)).toBe(
    JSON.stringify(
      {
        schema: {
          ids: { types: ["string"], arrays: ["ids"] },
          lines: { types: ["object"], arrays: ["lines"] },
          "lines.tags": { types: ["string"], arrays: ["lines", "lines.tags"] },
          open: { types: ["boolean"] },
          parent: { types: ["string"] },
          title: { types: ["string", "null"] },
        },
        indexes: [{ name: "by_title", fields: ["-title"], unique: true }],
        text: { fields: { title: 3 }, default_language: "en", language_field: null },
        rules: {
          create: "expression",
          read: true,
          update: false,
          delete: false,
          restore: false,
          purge: false,
        },
        fields: { title: { read: true, write: "expression" } },
        references: {
          few: { ...reference, max_expand: 3 },
          others: { ...reference, max_expand: 100 },
          parent: { database: "main", collection: "bare", field: "parent", key: "id", many: false },
        },
        aggregate: { group_by: ["title"], metrics: { title: ["distinct"] } },
        cache: { public: true, max_age: 60 },
        soft_delete: { retention: "90m" },
        custom_id: { pattern: "^[a-z/]+$", duplicate_limit: 5 },
        defaults: "ignore",
        expand: { max_depth: 2, max_paths: 5, max_array: 100, max_docs: 10 },
      },
      null,
      1,
    ),
  );
  expect(databases.main.bare).toMatchObject({
    text: null,
    references: {},
    aggregate: null,
    cache: { public: false },
    soft_delete: false,
    custom_id: false,
  });
  expect(databases.main.bare).not.toHaveProperty("organization");
  expect(databases.main.tickets).toMatchObject({
    schema: { title: {} },
    soft_delete: { retention: null },
    custom_id: { is: "user", pattern: null, duplicate_limit: 20 },
    organization: "required",
    teams: "optional",
    on_org_delete: "delete",
  });
  expect(Object.keys(databases.main.tickets.schema)).not.toContain("_meta.org");
});

test("GET /_admin/config: with auth: disabled it says so, and has nothing of accounts", async () => {
  const { realm, databases } = await effective("plain");
  expect(realm).toEqual({
    name: "plain",
    auth: "disabled",
    cors: { origins: [] },
    admin: { allowed_networks: null },
    openapi: "public",
    app_config: {},
  });
  expect(databases.main.bare).not.toHaveProperty("rules");
});
