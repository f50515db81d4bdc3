/** What an instance keeps of what callers may see: how each is changed, and what tells that the change counts. */
import { createKey } from "../../runtime/auth/command-keys.ts";
import { cookieName } from "../../runtime/auth/credentials/cookie.ts";
import { newToken } from "../../runtime/auth/credentials/tokens.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { insertOrganization, insertProof, insertSession, insertUser } from "../people.ts";
import type { Headers } from "../realtime/wire/requests.ts";
import type { Instance, Shared } from "./shared.ts";

/** Something that is kept, ready to be changed. */
export interface Kept {
  /** What tells a caller of it, asked of an instance. */
  seen(at: Instance): Promise<unknown>;
  readonly before: unknown;
  /** Acknowledged by an instance. */
  change(at: Instance): Promise<unknown>;
  readonly after: unknown;
}

interface Person {
  readonly id: string;
  readonly headers: Headers;
  /** With a fresh proof of identity. */
  readonly proved: Headers;
}

let serial = 0;
const next = (of: string) => {
  serial += 1;
  return `${of}-${serial}`;
};

/** @param mfa whether their session used a second factor */
export async function person({ store, clock }: Shared, mfa = false): Promise<Person> {
  const id = next("user");
  const session = next("session");
  // Nobody asks for a code of it.
  const totp = mfa ? { secret: { key: "", box: "" }, step: 0, recovery: [] } : null;
  const user = await insertUser(store, clock, id, { totp });
  const token = await insertSession(store, clock, id, session, { mfa });
  const headers = { authorization: `Bearer ${token}` };
  const proof = await insertProof(store, clock, user, session);
  return { id, headers, proved: { ...headers, "x-svc-reauth": proof } };
}

async function organization({ store, clock }: Shared, ...members: readonly Person[]): Promise<string> {
  const id = next("org");
  const memberships = members.map(
    ({ id: user }, at) => [user, { roles: at === 0 ? ["owner"] : [] }] as const,
  );
  await insertOrganization(store, clock, id, Object.fromEntries(memberships));
  return id;
}

/** A document of an organization; answers its id. */
async function made(
  { here }: Shared,
  collection: "deeds" | "plans",
  org: string,
  { headers }: Person,
): Promise<unknown> {
  const body = { title: "made" };
  return (await here.send("POST", `main/${collection}?org=${org}`, { headers, body })).body["id"];
}

const status = async (at: Instance, path: string, headers: Headers): Promise<number> =>
  (await at.send("GET", path, { headers })).status;

async function listed(at: Instance, path: string, headers: Headers): Promise<number> {
  const { body } = await at.send("GET", path, { headers });
  return Array.isArray(body["items"]) ? body["items"].length : -1;
}

/** Puts `app_config`, whatever it was. */
export async function configure(shared: Shared, at: Instance, value: JsonObject): Promise<void> {
  const { status: answer } = await at.send("PUT", "_admin/config/app", { headers: shared.boss, body: value });
  if (answer !== 200) throw new Error(`app_config was not replaced: ${answer}`);
}

/** A flag of a ring, which nobody saw before. */
export async function flag({ here, boss }: Shared, ring: number): Promise<string> {
  const id = next("flag");
  const body = { id, ring, note: "x" };
  const { status: answer } = await here.send("POST", "main/flags", { headers: boss, body });
  if (answer !== 201) throw new Error(`a flag was not made: ${answer}`);
  return id;
}

/** `app_config`, by what it decides. */
async function configured(shared: Shared, seen: Kept["seen"], [before, after]: readonly [unknown, unknown]) {
  await configure(shared, shared.here, { ring: 1, open: false });
  return { seen, before, after, change: (at: Instance) => configure(shared, at, { ring: 3, open: true }) };
}

const anonymous: Headers = {};

/** Of nobody: a cookie that is no session's counts as none. */
const strayCookie = (): Headers => ({ cookie: `${cookieName("shared")}=${newToken("svs")}` });

/** By name. */
export const everyKept: Readonly<Record<string, (shared: Shared) => Promise<Kept>>> = {
  "app_config, in a get of a user": async (shared) => {
    const [{ headers }, id] = [await person(shared), await flag(shared, 2)];
    return configured(shared, (at) => status(at, `main/flags/${id}`, headers), [404, 200]);
  },
  "app_config, in a get of nobody": async (shared) => {
    const id = await flag(shared, 2);
    return configured(shared, (at) => status(at, `main/flags/${id}`, anonymous), [404, 200]);
  },
  "app_config, in a get of nobody with a cookie that has ended": async (shared) => {
    const id = await flag(shared, 2);
    return configured(shared, (at) => status(at, `main/flags/${id}`, strayCookie()), [404, 200]);
  },
  "app_config, in a list": async (shared) => {
    const [{ headers }, id] = [await person(shared), await flag(shared, 2)];
    const where = encodeURIComponent(JSON.stringify({ id }));
    return configured(shared, (at) => listed(at, `main/flags?where=${where}`, headers), [0, 1]);
  },
  "app_config, for a key that acts for a user": async (shared) => {
    const { store, clock } = shared;
    const [{ id: user }, id] = [await person(shared), await flag(shared, 2)];
    const name = next("key");
    const key = await createKey(store, clock, { name, admin: false, onBehalfOf: true });
    const headers = { authorization: `Bearer ${key}`, "x-svc-on-behalf-of": user };
    return configured(shared, (at) => status(at, `main/flags/${id}`, headers), [404, 200]);
  },
  "app_config, in the rule of a field": async (shared) => {
    const [{ headers }, id] = [await person(shared), await flag(shared, 1)];
    const seen = async (at: Instance) => (await at.send("GET", `main/flags/${id}`, { headers })).body["note"];
    return configured(shared, seen, [undefined, "x"]);
  },
  "app_config, in who may make an organization": async (shared) => {
    const { headers } = await person(shared);
    const seen = async (at: Instance) =>
      (await at.send("POST", "_orgs", { headers, body: { name: next("new") } })).status;
    return configured(shared, seen, [403, 201]);
  },
  "app_config, in who may call a function": async (shared) => {
    const { headers } = await person(shared);
    const seen = async (at: Instance) => (await at.send("POST", "main/_func/open", { headers })).status;
    return configured(shared, seen, [403, 200]);
  },
  "app_config, for administrators": async (shared) => {
    const seen = async (at: Instance) =>
      (await at.send("GET", "_admin/config/app", { headers: shared.boss })).body["ring"];
    return configured(shared, seen, [1, 3]);
  },
  "a session": async (shared) => {
    const { headers } = await person(shared);
    return {
      seen: (at) => status(at, "_auth/me", headers),
      before: 200,
      change: (at) => at.send("POST", "_auth/logout", { headers }),
      after: 401,
    };
  },
  "a user's roles": async (shared) => {
    const { id, headers } = await person(shared);
    return {
      seen: (at) => status(at, "main/desk", headers),
      before: 403,
      change: (at) =>
        at.send("PATCH", `_admin/users/${id}`, { headers: shared.boss, body: { roles: ["editor"] } }),
      after: 200,
    };
  },
  "a user who is disabled": async (shared) => {
    const { id, headers } = await person(shared);
    return {
      seen: (at) => status(at, "main/flags", headers),
      before: 200,
      change: (at) =>
        at.send("PATCH", `_admin/users/${id}`, { headers: shared.boss, body: { disabled: true } }),
      after: 401,
    };
  },
  "a key": async (shared) => {
    const name = next("key");
    const body = { name, scopes: { read: ["main/desk"] } };
    const answer = await shared.here.send("POST", "_admin/keys", { headers: shared.boss, body });
    const headers = { authorization: `Bearer ${answer.body["key"]}` };
    return {
      seen: (at) => status(at, "main/desk", headers),
      before: 200,
      change: (at) => at.send("DELETE", `_admin/keys/${answer.body["id"]}`, { headers: shared.boss }),
      after: 401,
    };
  },
  "a personal token": async (shared) => {
    const { headers, proved } = await person(shared);
    const body = { name: next("token") };
    const answer = await shared.here.send("POST", "_auth/tokens", { headers: proved, body });
    const bearer = { authorization: `Bearer ${answer.body["key"]}` };
    return {
      seen: (at) => status(at, "main/flags", bearer),
      before: 200,
      change: (at) => at.send("DELETE", `_auth/tokens/${answer.body["id"]}`, { headers }),
      after: 401,
    };
  },
  "a membership": async (shared) => {
    const [owner, member] = [await person(shared), await person(shared)];
    const org = await organization(shared, owner, member);
    await made(shared, "deeds", org, owner);
    return {
      seen: (at) => listed(at, "main/deeds", member.headers),
      before: 1,
      change: (at) => at.send("POST", `_orgs/${org}/leave`, { headers: member.headers }),
      after: 0,
    };
  },
  "a second factor that an organization requires": async (shared) => {
    const [owner, member] = [await person(shared, true), await person(shared)];
    const org = await organization(shared, owner, member);
    await made(shared, "deeds", org, owner);
    return {
      seen: (at) => listed(at, "main/deeds", member.headers),
      before: 1,
      change: (at) =>
        at.send("PATCH", `_orgs/${org}`, { headers: owner.proved, body: { require_mfa: true } }),
      after: 0,
    };
  },
  "an organization that is deleted, for a key that reads all documents": async (shared) => {
    const { store, clock } = shared;
    const owner = await person(shared);
    const org = await organization(shared, owner);
    const id = await made(shared, "deeds", org, owner);
    const key = await createKey(store, clock, { name: next("key"), admin: false });
    const headers = { authorization: `Bearer ${key}` };
    return {
      seen: (at) => status(at, `main/deeds/${id}`, headers),
      before: 200,
      change: (at) => at.send("DELETE", `_orgs/${org}`, { headers: owner.proved }),
      after: 404,
    };
  },
  "an organization that is deleted, for nobody with a cookie that has ended": async (shared) => {
    const owner = await person(shared);
    const org = await organization(shared, owner);
    const id = await made(shared, "plans", org, owner);
    return {
      seen: (at) => status(at, `main/plans/${id}`, strayCookie()),
      before: 200,
      change: (at) => at.send("DELETE", `_orgs/${org}`, { headers: owner.proved }),
      after: 404,
    };
  },
  "a secret": async (shared) => {
    const { headers } = await person(shared);
    const put = (at: Instance, value: string) =>
      at.send("PUT", "_admin/secrets/TOKEN", { headers: shared.boss, body: { value } });
    await put(shared.here, "first");
    const seen = async (at: Instance) => (await at.send("POST", "main/_func/ask", { headers })).body;
    const before = { token: "first" };
    return { seen, before, change: (at) => put(at, "second"), after: { token: "second" } };
  },
};
