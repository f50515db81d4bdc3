/**
 * Who tries the operations: every kind of credential, and none. What each may do is written down here again, apart from
 * the code that decides it.
 */
import { collections } from "../../runtime/auth/collections.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type KeyBinding, writeKey } from "../../runtime/auth/key-records.ts";
import { makeKey, type NewKey } from "../../runtime/auth/keys.ts";
import type { HeldClock, Started } from "../../runtime/instance/testing/servers.ts";
import { type AdminArea, adminAreas } from "../../runtime/realm/administration.ts";
import type { KeyScopes, TokenScopes } from "../../runtime/realm/caller.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { insertOrganization, insertService, insertSession, insertUser } from "../people.ts";
import { company } from "./documents.ts";

/** What counts of a credential, whoever has it. */
export type Credential =
  /** None at all, or one that counts as none. */
  | { readonly kind: "none" }
  /** Of another realm, ended, expired, unknown, of another scheme: this one is its sender's own where webhooks are called. */
  | { readonly kind: "bad"; readonly isForeign?: true }
  /** Known, and not to be used so. */
  | { readonly kind: "refused"; readonly answer: "403 forbidden" | "400 invalid_header" }
  | {
      readonly kind: "session";
      readonly user: string;
      readonly areas: Areas;
      /** Its administration is over until there is a new proof. */
      readonly lapsed?: true;
    }
  | { readonly kind: "key"; readonly scopes: KeyScopes | undefined; readonly areas: Areas }
  /** A personal token: its user under the rules, within its scopes, with what it was lent of their administration. */
  | {
      readonly kind: "token";
      readonly scopes: KeyScopes | undefined;
      readonly user: string;
      readonly areas: Areas;
    }
  /** An organization's key: a member there, as `agent` is, and nobody anywhere else. */
  | {
      readonly kind: "service";
      readonly scopes: KeyScopes | undefined;
      readonly org: string;
      readonly areas: Areas;
    }
  /** A key that acts for a user. */
  | { readonly kind: "delegate"; readonly scopes: KeyScopes | undefined; readonly user: string };

export interface Areas {
  readonly see: readonly AdminArea[];
  readonly change: readonly AdminArea[];
}

export interface Caller {
  readonly name: string;
  readonly credential: Credential;
  /** @param anew with a new session, where requests may have ended the last one */
  headers(anew?: boolean): Promise<Record<string, string>>;
}

const nothing: Areas = { see: [], change: [] };
const everything: Areas = { see: adminAreas, change: adminAreas };
const readable: readonly AdminArea[] = ["invitations", "apikeys", "secrets", "audit", "functions", "config"];

const alone = (...areas: readonly AdminArea[]): Areas => ({ see: areas, change: areas });

/** What users administer, by realm and name; others nothing. */
const administrations: Readonly<Record<string, Readonly<Record<string, Areas>>>> = {
  fort: {
    boss: everything,
    reader: { see: readable, change: [] },
    ...Object.fromEntries(adminAreas.map((area) => [area, alone(area)])),
  },
  helpdesk: {
    owner: everything,
    auditor: { see: [...readable, "users"], change: [] },
    lead: alone("users", "invitations", "data"),
  },
};

/** Another organization, where realms have any. */
const rival = "rival";

const hour = 3_600_000;

/** The realm with tokens and organization keys, whether or not its configuration lets any be made. */
export function withKeysOfTenants(module: RealmModule): RealmModule {
  const { definition } = module;
  const { accounts } = definition;
  if (accounts === undefined) return module;
  const { organizations } = accounts;
  const keys = organizations && { organizations: { ...organizations, keys: true } };
  const tokens = { personal: true, maxLifetime: 24 * hour };
  return { ...module, definition: { ...definition, accounts: { ...accounts, ...keys, tokens } } };
}

/** The users of a realm: `maker`, whose documents are tried, `stranger`, and one for each role, named after it. */
export function usersOf({ accounts }: RealmDefinition): readonly string[] {
  return accounts === undefined ? [] : ["maker", "stranger", ...accounts.roles.map(({ name }) => name)];
}

/** Makes the users of a realm, `gone`, who is disabled, and the company, where the realm has organizations. */
export async function populate({ store, clock }: Started, definition: RealmDefinition): Promise<void> {
  const users = usersOf(definition);
  for (const id of users) {
    const roles = users.indexOf(id) < 2 ? [] : [id];
    await insertUser(store(definition.name), clock, id, { roles });
  }
  if (users.length > 0) await insertUser(store(definition.name), clock, "gone", { disabled: true });
  if (definition.accounts?.organizations !== undefined) {
    const { creatorRoles } = definition.accounts.organizations;
    const members = { maker: { roles: creatorRoles }, agent: { roles: ["agent"] } };
    await insertOrganization(store(definition.name), clock, company, members);
    await insertOrganization(store(definition.name), clock, rival, { stranger: { roles: creatorRoles } });
  }
}

/**
 * Makes the keys of a realm, and everybody who tries its operations.
 * @param other a populated realm whose credentials are none of this one
 */
export async function callersOf(
  server: Started<HeldClock>,
  definition: RealmDefinition,
  other: string,
): Promise<readonly Caller[]> {
  const { clock } = server;
  const users = usersOf(definition);
  const areasOf = (user: string) => administrations[definition.name]?.[user] ?? nothing;
  let serial = 0;
  const session = (user: string, realm = definition.name, ago = 0) => {
    serial += 1;
    const then = new Date(clock.now() - ago).toISOString();
    return insertSession(server.store(realm), clock, user, `${definition.name}-${serial}`, {
      proved_at: then,
      administered_at: then,
    });
  };
  const key = (name: string, more: Partial<NewKey> = {}, realm = definition.name) =>
    createKey(server.store(realm), clock, { name, admin: false, ...more });

  const callers: Caller[] = [];
  const add = (
    name: string,
    credential: Credential,
    token: (() => Promise<string>) | string | undefined,
    more: Readonly<Record<string, string>> = {},
  ) => {
    let made: string | undefined;
    callers.push({
      name,
      credential,
      async headers(anew = false) {
        if (made === undefined || anew) made = typeof token === "function" ? await token() : token;
        return made === undefined ? { ...more } : { authorization: `Bearer ${made}`, ...more };
      },
    });
  };

  add("nobody", { kind: "none" }, undefined);
  add("nobody, another scheme", { kind: "bad", isForeign: true }, undefined, {
    authorization: "Basic bWFrZXI6cGFzcw==",
  });
  add("nobody, an unknown session", { kind: "bad" }, `svs_${"a".repeat(43)}`);
  add("nobody, an unknown key", { kind: "bad" }, `svk_${"a".repeat(43)}`);
  add("a key of another realm", { kind: "bad" }, await key(`of ${definition.name}`, { admin: true }, other));
  if (definition.accounts !== undefined) {
    add("a session of another realm", { kind: "bad" }, () => session("maker", other));
  }

  const expired = await key("expired", { admin: true, expiresAt: clock.now() + 1 });
  clock.advance(1);
  add("an expired key", { kind: "bad" }, expired);
  const replaced = await key("replaced", { admin: true });
  await key("replaced", { replace: true });
  add("a replaced key", { kind: "bad" }, replaced);
  const forbidden: Credential = { kind: "refused", answer: "403 forbidden" };
  add(
    "a key of another network",
    forbidden,
    await key("elsewhere", { admin: true, networks: ["10.0.0.0/8"] }),
  );

  const scoped = async (name: string, scopes: KeyScopes | undefined) =>
    add(name, { kind: "key", scopes, areas: nothing }, await key(name, { scopes }));
  await scoped("a whole key", undefined);
  await scoped("a key with no scopes left", {});
  await scoped("a reading key", { read: "*" });
  await scoped("a writing key", { write: "*" });
  await scoped("a calling key", { call: "*" });
  await scoped("a key for another database", { read: ["elsewhere"], write: ["elsewhere"] });
  const administering = async (name: string, admin: NewKey["admin"], areas: Areas, scopes?: KeyScopes) =>
    add(name, { kind: "key", scopes, areas }, await key(name, { admin, scopes }));
  await administering("a full administrator's key", true, everything);
  await administering("a full administrator's key with no scopes left", true, everything, {});
  for (const area of adminAreas) await administering(`a key for ${area}`, [area], alone(area), {});
  await administering("a whole key for data", ["data"], alone("data"));
  if (definition.accounts === undefined) return callers;

  for (const user of users) {
    add(`${user}'s session`, { kind: "session", user, areas: areasOf(user) }, () => session(user));
  }
  const boss = users.find((user) => areasOf(user) === everything);
  if (boss === undefined) throw new Error("nobody is a full administrator");
  const late: Credential = { kind: "session", user: boss, areas: everything, lapsed: true };
  add(`${boss}'s session, long unused`, late, () => session(boss, definition.name, hour));
  const cookieName = `svc_session_${definition.name}`;
  callers.push({
    name: "a cookie that is over",
    credential: { kind: "none" },
    headers: async () => ({ cookie: `${cookieName}=svs_${"a".repeat(43)}` }),
  });

  const bound = async (name: string, binding: KeyBinding, scopes?: TokenScopes) => {
    const store = server.store(definition.name);
    serial += 1;
    const asked = { name, admin: false, binding, ...(scopes && { scopes }) };
    const { token, record } = makeKey(asked, "test", clock.now(), () => `key-${serial}`);
    await store.collection(collections.keys).insert(writeKey(record, 1));
    if (binding.kind === "organization") await insertService(store, clock, binding.org, record, ["agent"]);
    return token;
  };
  const personal = async (user: string, lent: Areas, all?: TokenScopes) => {
    const name = `${user}'s token ${JSON.stringify(all ?? "for everything")}`;
    const { admin: _, ...scopes } = all ?? {};
    add(
      name,
      { kind: "token", scopes: all && scopes, user, areas: lent },
      await bound(name, { kind: "personal", user }, all),
    );
  };
  for (const user of users) await personal(user, nothing);
  await personal("maker", nothing, { read: "*" });
  await personal("maker", nothing, { read: ["elsewhere"], write: ["elsewhere"], call: "*" });
  // Lent are the areas that its user administers, and no other.
  for (const area of adminAreas) await personal(boss, alone(area), { admin: [area] });
  await personal(boss, alone("data"), { read: "*", write: "*", admin: ["data"] });
  await personal("maker", nothing, { admin: [...adminAreas] });
  if (definition.accounts.organizations !== undefined) {
    for (const org of [company, rival]) {
      const service = async (scopes?: KeyScopes) => {
        const name = `the key of ${org} ${JSON.stringify(scopes ?? "for everything")}`;
        const token = await bound(name, { kind: "organization", org }, scopes);
        add(name, { kind: "service", scopes, org, areas: nothing }, token);
      };
      await service();
      await service({ read: "*" });
    }
  }

  const notAllowed: Credential = { kind: "refused", answer: "400 invalid_header" };
  const delegating = await key("delegating", { onBehalfOf: true, admin: true });
  const acting = (user: string) => ({ "x-svc-on-behalf-of": user });
  add("a key for maker", { kind: "delegate", scopes: undefined, user: "maker" }, delegating, acting("maker"));
  add(
    "a key for stranger",
    { kind: "delegate", scopes: undefined, user: "stranger" },
    delegating,
    acting("stranger"),
  );
  add("a key for nobody", notAllowed, delegating, acting("none"));
  add("a key that may not, for maker", notAllowed, await key("plain"), acting("maker"));
  const small = await key("small", { onBehalfOf: true, scopes: { read: ["elsewhere"] } });
  add(
    "a small key for maker",
    { kind: "delegate", scopes: { read: ["elsewhere"] }, user: "maker" },
    small,
    acting("maker"),
  );
  add("a key for a disabled user", forbidden, delegating, acting("gone"));
  add("a disabled user's session", { kind: "bad" }, () => session("gone"));
  add("stranger's session, acting for maker", notAllowed, () => session("stranger"), acting("maker"));
  add("nobody, acting for maker", notAllowed, undefined, acting("maker"));
  return callers;
}
