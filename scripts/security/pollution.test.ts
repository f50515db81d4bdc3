/** Names that mean something to JavaScript are plain data wherever clients can put them, or refused; never prototypes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { compileFort } from "./compiled.ts";
import { type Fort, startFort } from "./fort.ts";
import { pathsOf } from "./send.ts";

const fort = await compileFort();

/** Names that objects have without anybody having put them there, and the way to their prototype. */
const names = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
  "__lookupSetter__",
];

/** As JSON texts, since an object literal would set the prototype itself. */
const poisons = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"__proto__":{"__proto__":{"polluted":true}}}',
  '{"__proto__":null}',
  '{"__proto__":[]}',
];

const pristine = JSON.stringify(prototypes());

/** What all objects, arrays and functions inherit. */
function prototypes(): readonly (readonly string[])[] {
  return [Object.prototype, Array.prototype, Function.prototype].map((each) =>
    Reflect.ownKeys(each).map(String),
  );
}

let server: Fort;
let token: string;
beforeAll(async () => {
  server = await startFort(fort);
  token = await server.session("maker");
});
afterAll(async () => {
  // After everything that the tests have sent.
  expect(JSON.stringify(prototypes())).toBe(pristine);
  expect("polluted" in {}).toBe(false);
  await server.stop();
});

describe("Prototype pollution", () => {
  it.each(poisons)("a document that lets everything through keeps %s as it is", async (text) => {
    const id = `poisoned-${poisons.indexOf(text)}`;
    const sent = `${text.slice(0, -1)},"id":"${id}","title":"x"}`;
    const made = await server.send("POST", "/main/slugs", { token, text: sent });
    expect(made.outcome).toBe("201");
    const read = await server.send("GET", `/main/slugs/${id}`, {});
    const [, member = ""] = /^\{("\w+":.*)\}$/.exec(text) ?? [];
    expect(read.text).toContain(member);
    const patched = await server.send("PATCH", `/main/slugs/${id}`, { token, text });
    expect(patched.outcome).toBe("200");
    expect(patched.body["polluted"]).toBe(undefined);
    const replaced = await server.send("PUT", `/main/slugs/${id}`, { token, text });
    expect(replaced.outcome).toBe("200");
    expect(replaced.body["title"]).toBe(undefined);
  });

  it.each(poisons)("a schema that lists its members refuses %s", async (text) => {
    const sent = `${text.slice(0, -1)},"text":"x"}`;
    expect((await server.send("POST", "/main/notes", { token, text: sent })).outcome).toBe(
      "400 validation_error",
    );
    // What a merge makes of it is no document either; a null removes what is not there.
    const { body } = await server.send("POST", "/main/notes", { token, body: { text: "x" } });
    const patched = await server.send("PATCH", `/main/notes/${body["id"]}`, { token, text });
    expect(patched.outcome).toBe(text.includes("null") ? "200" : "400 validation_error");
  });

  it.each(poisons)("bodies of the service's own routes refuse %s", async (text) => {
    for (const { method, path } of [
      { method: "POST", path: "/_auth/login" },
      { method: "POST", path: "/_auth/signup" },
      { method: "PATCH", path: "/_auth/me" },
      { method: "POST", path: "/_auth/reauth" },
      { method: "POST", path: "/_admin/users" },
      { method: "PATCH", path: "/_admin/users/stranger" },
      { method: "POST", path: "/_admin/keys" },
      { method: "POST", path: "/_admin/invitations" },
      { method: "PUT", path: "/_admin/secrets/NAME" },
    ]) {
      const by = path.startsWith("/_admin") ? server.operator : token;
      const answer = await server.send(method, path, { token: by, text });
      expect(answer.outcome, `${method} ${path}`).toBe("400 validation_error");
      expect(pathsOf(answer)).toContain(Object.keys(JSON.parse(text))[0]);
    }
  });

  it("a profile and the app configuration keep such members as data", async () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"open":true}';
    for (const sent of [
      await server.send("PATCH", "/_auth/me", { token, text: `{"profile":${text}}` }),
      await server.send("PATCH", "/_admin/users/stranger", {
        token: server.operator,
        text: `{"profile":${text}}`,
      }),
      await server.send("PUT", "/_admin/config/app", { token: server.operator, text }),
    ]) {
      expect(sent.outcome).toBe("200");
      expect(sent.text).toContain('"__proto__":{"polluted":true}');
    }
    // A rule reads `appConfig.open` of it, and merging goes on with the profile.
    expect((await server.send("POST", "/main/notes", { token, body: { text: "x" } })).outcome).toBe("201");
    const merged = await server.send("PATCH", "/_auth/me", {
      token,
      text: '{"profile":{"__proto__":{"more":1},"name":"Ada"}}',
    });
    expect(merged.text).toContain('"__proto__":{"polluted":true,"more":1}');
    expect(Object.keys(isJsonObject(merged.body["profile"]) ? merged.body["profile"] : {})).toContain("name");
  });

  it.each(names)("%s is no role, no area, no scope and no user", async (name) => {
    const by = { token: server.operator };
    const refused = async (method: string, path: string, text: string) =>
      expect((await server.send(method, path, { ...by, text })).outcome, `${path} ${text}`).toBe(
        "400 validation_error",
      );
    await refused("PATCH", "/_admin/users/stranger", JSON.stringify({ roles: [name] }));
    await refused("POST", "/_admin/invitations", JSON.stringify({ roles: [name] }));
    await refused("POST", "/_admin/keys", JSON.stringify({ name: `k ${name}`, admin: [name] }));
    await refused("POST", "/_admin/keys", `{"name":"k ${name}","scopes":{"${name}":"*"}}`);
    await refused("POST", "/_admin/keys", `{"name":"k ${name}","scopes":{"read":["${name}"]}}`);
    await refused("POST", "/_admin/keys", `{"name":"k ${name}","scopes":{"read":["main/${name}"]}}`);
    const acting = { token: server.operator, headers: { "x-svc-on-behalf-of": name } };
    expect((await server.send("GET", "/main/notes", acting)).outcome).toBe("400 invalid_header");
    for (const parameter of ["role", "status"]) {
      const list = await server.send("GET", `/_admin/users?${parameter}=${name}`, by);
      expect(list.outcome).toBe("400 invalid_query");
    }
  });

  it.each(names)("%s in a path leads nowhere", async (name) => {
    const by = { token: server.operator };
    for (const path of [
      `/${name}/notes`,
      `/main/${name}`,
      `/main/${name}/x`,
      `/main/notes/${name}`,
      `/_auth/${name}`,
      `/_auth/sessions/${name}`,
      `/_admin/${name}`,
      `/_admin/users/${name}`,
      `/_admin/data/${name}/notes`,
      `/_admin/data/main/${name}`,
      `/../${name}/main/notes`,
      `/../../${name}`,
    ]) {
      const method = path.includes("/sessions/") ? "DELETE" : "GET";
      const sent = path.startsWith("/_auth") ? { token } : by;
      expect((await server.send(method, path, sent)).outcome, path).toBe("404 not_found");
    }
    for (const path of [`/_admin/keys/${name}`, `/_admin/invitations/${name}`, `/_admin/secrets/${name}`]) {
      expect((await server.send("DELETE", path, by)).outcome, path).toBe("404 not_found");
    }
  });

  it.each(names)("%s in a query is an unknown parameter, field, reference and operator", async (name) => {
    const text = (value: JsonObject | string) =>
      encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
    for (const [query, code] of [
      [`${name}=1`, "invalid_query"],
      [`where=${text(`{"${name}":1}`)}`, "invalid_query"],
      [`where=${text(`{"text":{"${name}":1}}`)}`, "invalid_query"],
      [`where=${text(`{"${name}":{"polluted":{"$eq":1}}}`)}`, "invalid_query"],
      [`where=${text(`{"text.${name}":1}`)}`, "invalid_query"],
      [`where=${text(`{"$or":[{"${name}":1}]}`)}`, "invalid_query"],
      [`order_by=${name}`, "invalid_query"],
      [`expand=${name}`, "invalid_expand"],
      [`expand=author(${name})`, "invalid_expand"],
    ] as const) {
      expect((await server.send("GET", `/main/notes?${query}`, { token })).outcome, query).toBe(
        `400 ${code}`,
      );
    }
    for (const query of [
      `group_by=${name}`,
      `metrics=sum:${name}`,
      `metrics=${name}:weight`,
      `group_by=_meta.created_at:${name}`,
    ]) {
      expect((await server.send("GET", `/main/notes/_aggregate?${query}`, { token })).outcome, query).toBe(
        "400 invalid_aggregate",
      );
    }
  });

  it.each(names)("%s is no collection, operation or member of a batch", async (name) => {
    const run = async (text: string) =>
      (await server.send("POST", "/main/_batch", { token, text: `{"operations":[${text}]}` })).outcome;
    expect(await run(`{"op":"create","collection":"${name}","document":{}}`)).toMatch(/^40[04] /);
    expect(await run(`{"op":"${name}","collection":"notes"}`)).toBe("400 validation_error");
    expect(await run(`{"op":"create","collection":"notes","document":{"text":"x"},"${name}":1}`)).toBe(
      "400 validation_error",
    );
  });
});
