import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collection } from "../../documents/testing/shop.ts";
import { field } from "../../filter/fields.ts";
import type { JsonObject } from "../../json.ts";
import type { EffectiveConfiguration } from "../../realm/definition.ts";
import { isEmbedded, testPlace } from "../../store/testing/stores.ts";
import { type Accounts, startAccounts } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

/** As the compiler makes them: scripts/effective. */
const effective: EffectiveConfiguration = {
  realm: { name: "shop", auth: "enabled" },
  databases: {
    main: {
      notes: {
        references: { one: { many: false }, few: { many: true, max_expand: 3 }, all: { many: true } },
        custom_id: false,
        expand: { max_array: 7 },
      },
      bare: { references: { all: { many: true } }, expand: {} },
    },
  },
};

let server: Accounts;
let root: string;
beforeAll(async () => {
  const collections = [collection("notes", { fields: { id: field("id", "string") } }), collection("bare")];
  const definition = { collections, effective, appConfig: { trial_days: 14 } };
  server = await startAccounts({}, { definition, fingerprint: "abc123" });
  root = await server.adminKey(["config"]);
});
afterAll(() => server.stop());

const get = (path = "", token = root, realm = "shop") =>
  server.send("GET", `/_admin/config${path}`, { token }, realm);
const put = (body: JsonObject, token = root, realm = "shop") =>
  server.send("PUT", "/_admin/config/app", { token, body }, realm);

describe("Administrator routes: GET /_admin/config", () => {
  it("the fingerprint, and what of the configuration is in effect, with what app_config is now", async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["fingerprint", "realm", "databases"]);
    expect(body["fingerprint"]).toBe("abc123");
    expect(body["realm"]).toEqual({ name: "shop", auth: "enabled", app_config: { trial_days: 14 } });
  });

  it("limits of expansion that collections do not lower are the instance's", async () => {
    const { databases } = (await get()).body;
    expect(databases).toMatchObject({
      main: {
        notes: {
          references: {
            one: { many: false },
            few: { many: true, max_expand: 3 },
            all: { many: true, max_expand: 7 },
          },
          custom_id: false,
          expand: { max_depth: 2, max_paths: 5, max_array: 7, max_docs: 2000 },
        },
        bare: {
          references: { all: { many: true, max_expand: 100 } },
          expand: { max_depth: 2, max_paths: 5, max_array: 100, max_docs: 2000 },
        },
      },
    });
    expect(Object.keys(Object(databases).main.notes)).toEqual([
      ...["schema", "indexes", "text"],
      ...["references", "custom_id", "expand"],
    ]);
    expect(Object(databases).main.notes).toMatchObject({ schema: {}, indexes: [], text: null });
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

  it.runIf(!isEmbedded)("other instances on the store answer it at the next request", async () => {
    const place = testPlace();
    const settings = { store: place.location };
    const [here, there] = [await startAccounts({}, { settings }), await startAccounts({}, { settings })];
    try {
      const token = await here.adminKey(["config"]);
      const read = async (from: Accounts) => (await from.send("GET", "/_admin/config/app", { token })).body;
      expect(await read(there)).toEqual({});
      await here.send("PUT", "/_admin/config/app", { token, body: { day: 1 } });
      expect(await read(here)).toEqual({ day: 1 });
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
