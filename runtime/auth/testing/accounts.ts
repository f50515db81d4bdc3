import type { Delivery } from "../../instance/mail.ts";
import { manySignups, type StartOptions, startRealm } from "../../instance/testing/servers.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { AccountSettings, RealmDefinition } from "../../realm/definition.ts";
import type { Log, RealmModule, RouteFactory, RouteTable } from "../../realm/exchange.ts";
import type { Mail } from "../../realm/mail.ts";
import { accountRoutes, secondFactorRoutes, tokenRoutes } from "../accounts/routes.ts";
import { administrationRoutes, userAdministrationRoutes } from "../administration/routes.ts";
import { createKey } from "../command-keys.ts";
import type { NewKey } from "../keys.ts";
import { changeUser } from "../users.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const origin = "https://app.example.com";
export const password = "correct horse";

const settings: AccountSettings = {
  signup: "open",
  signupLimit: manySignups,
  roles: [
    { name: "agent" },
    { name: "boss", admin: true },
    { name: "reader", admin: "read" },
    { name: "keymaster", admin: ["apikeys", "users"] },
    { name: "host", admin: ["invitations"] },
    { name: "auditor", admin: ["audit", "config", "secrets"] },
    { name: "librarian", admin: ["data"] },
  ],
  defaultRoles: [],
  sessionLifetime: 30 * day,
  sessionIdleTimeout: 7 * day,
  adminIdleTimeout: 15 * minute,
  adminMaxLifetime: 8 * hour,
  readAccess: [],
};

/** Names of keys are unique in a store, which several servers of a test may share. */
let adminKeys = 0;

/** Answers the caller it sees; sets as arrays. */
const whoami: RouteFactory = ({ authenticate }) => ({
  class: "document",
  handle: async (exchange) => ({
    status: 200,
    body: JSON.stringify(await authenticate(exchange), (_, value) =>
      value instanceof Set ? [...value] : value,
    ),
  }),
});

export interface ModuleExtras {
  /** `origins`, `adminNetworks`, `appConfig`, … */
  readonly definition?: Partial<Omit<RealmDefinition, "name" | "accounts">>;
  /** Beside all routes of accounts and administration. */
  readonly routes?: (realm: string) => RouteTable;
}

/** A realm with accounts, and one route of its own, `/whoami`, that answers the caller it sees. */
export function accountsModule(
  name: string,
  accounts: Partial<AccountSettings> = {},
  extras: ModuleExtras = {},
): RealmModule {
  const module = plainModule(name, extras);
  const groups = [
    accountRoutes(name),
    secondFactorRoutes(name),
    userAdministrationRoutes(name),
    ...(accounts.tokens?.personal ? [tokenRoutes(name)] : []),
  ];
  return {
    definition: { ...module.definition, accounts: { ...settings, ...accounts } },
    routes: [...groups, ...module.routes],
  };
}

/** The same with `auth: disabled`. */
export function plainModule(name: string, { definition, routes }: ModuleExtras = {}): RealmModule {
  return {
    definition: {
      origins: [origin],
      appConfig: {},
      effective: { realm: {}, databases: {} },
      openapi: { access: "public", document: {} },
      collections: [],
      ...definition,
      name,
    },
    routes: [
      administrationRoutes(name),
      { [`/v1/${name}/whoami`]: { GET: whoami, POST: whoami } },
      ...(routes === undefined ? [] : [routes(name)]),
    ],
  };
}

export interface Sent {
  /** Sent as JSON. */
  readonly body?: JsonObject;
  /** Sent as it is, as JSON. */
  readonly text?: string;
  readonly token?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  /** `{}` where there is none. */
  readonly body: JsonObject;
  readonly headers: Headers;
}

/** A new account as the tests go on with it. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly session: string;
}

/** Everything that a server logged. */
export interface Logged {
  readonly level: "info" | "warn" | "error";
  readonly fields: object;
  readonly message: string;
}

export interface AccountsOptions extends Omit<StartOptions, "clock" | "mail" | "log">, ModuleExtras {}

/**
 * Running realms named `shop` and `other`, alike, and `plain` with `auth: disabled`, with what tests of accounts do all
 * the time. Its mails and log lines are kept, not sent.
 */
export async function startAccounts(
  accounts: Partial<AccountSettings> = {},
  { definition = {}, routes = () => ({}), ...options }: AccountsOptions = {},
) {
  const extras = { definition, routes };
  const mailbox = new Mailbox();
  const logs: Logged[] = [];
  const server = await startRealm(
    [
      accountsModule("shop", accounts, extras),
      accountsModule("other", accounts, extras),
      plainModule("plain", extras),
    ],
    { ...options, mail: mailbox, log: logInto(logs) },
  );
  async function send(method: string, path: string, sent: Sent = {}, realm = "shop"): Promise<Received> {
    const headers = new Headers(sent.headers);
    const body = sent.text ?? (sent.body && JSON.stringify(sent.body)) ?? null;
    if (body !== null && !headers.has("content-type")) headers.set("content-type", "application/json");
    if (sent.token !== undefined) headers.set("authorization", `Bearer ${sent.token}`);
    if (sent.cookie !== undefined) headers.set("cookie", sent.cookie);
    const response = await fetch(`${server.url}/v1/${realm}${path}`, { method, headers, body });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text), headers: response.headers };
  }

  /** What a request answers that has to succeed. */
  async function sendWell(...sent: Parameters<typeof send>): Promise<JsonObject> {
    const { status, body } = await send(...sent);
    if (status >= 400) throw new Error(`${sent[0]} ${sent[1]} answered ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async function signup(email: string, realm = "shop", more: JsonObject = {}): Promise<Person> {
    const body = await sendWell("POST", "/_auth/signup", { body: { email, password, ...more } }, realm);
    return { id: text(body, "user", "id"), email, ...started(body) };
  }

  async function giveRoles(id: string, roles: readonly string[], realm = "shop"): Promise<void> {
    await changeUser(server.store(realm), id, (user) => ({ ...user, roles }));
  }

  /** Proves an account's address, as following the mailed link would. */
  async function verify({ id }: Pick<Person, "id">, realm = "shop"): Promise<void> {
    await changeUser(server.store(realm), id, (user) => ({ ...user, email_verified: true }));
  }

  return {
    ...server,
    send,
    signup,
    verify,
    /** Every mail, oldest first. */
    mails: mailbox.mails,
    /** The `nth` mail (from 1) to an address; waits until it was sent. */
    mailTo: (email: string, nth = 1): Promise<Mail> => mailbox.to(email, nth),
    /** Every log line, oldest first. */
    logs,
    async login(
      email: string,
      realm = "shop",
      more: JsonObject = {},
    ): Promise<{ readonly token: string; readonly session: string }> {
      return started(await sendWell("POST", "/_auth/login", { body: { email, password, ...more } }, realm));
    },
    /** A new account with these roles, whatever they administer. */
    async person(email: string, roles: readonly string[] = [], realm = "shop"): Promise<Person> {
      const person = await signup(email, realm);
      if (roles.length > 0) await giveRoles(person.id, roles, realm);
      return person;
    },
    giveRoles,
    /** A fresh proof of identity, for the header `X-Svc-Reauth`. */
    async reauth(
      { token }: Pick<Person, "token">,
      realm = "shop",
      body: JsonObject = { password },
    ): Promise<string> {
      return text(await sendWell("POST", "/_auth/reauth", { token, body }, realm), "proof");
    },
    key(key: Partial<NewKey> = {}, realm = "shop"): Promise<string> {
      return createKey(server.store(realm), server.clock, { name: "test", admin: false, ...key });
    },
    /** A key with administration, of a name of its own. */
    adminKey(admin: NewKey["admin"] = true, realm = "shop", key: Partial<NewKey> = {}): Promise<string> {
      adminKeys += 1;
      const name = `admin-${adminKeys}`;
      return createKey(server.store(realm), server.clock, { name, admin, ...key });
    },
  };
}

export type Accounts = Awaited<ReturnType<typeof startAccounts>>;

/** The token in a mail or a link. */
export function tokenIn(value: string): string {
  const token = /sv[skipt]_[A-Za-z0-9_-]{43}/.exec(value)?.[0];
  if (token === undefined) throw new Error(`no token in ${value}`);
  return token;
}

class Mailbox implements Delivery {
  readonly mails: Mail[] = [];
  readonly #waiting = new Set<() => void>();

  async deliver(mail: Mail): Promise<void> {
    this.mails.push(mail);
    for (const look of this.#waiting) look();
  }

  close(): void {}

  to(email: string, nth: number): Promise<Mail> {
    return new Promise((resolve) => {
      const look = () => {
        const mail = this.mails.filter(({ to }) => to === email)[nth - 1];
        if (mail === undefined) return;
        this.#waiting.delete(look);
        resolve(mail);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** Errors show on the console too. */
function logInto(logs: Logged[]): Log {
  const keep = (level: Logged["level"]) => (fields: object, message: string) => {
    logs.push({ level, fields, message });
    if (level === "error") console.error(message, fields);
  };
  return { info: keep("info"), warn: keep("warn"), error: keep("error") };
}

function started(body: JsonObject) {
  return { token: text(body, "session", "token"), session: text(body, "session", "id") };
}

/** The string at a path of an answer. */
export function text(body: JsonObject, ...path: readonly string[]): string {
  let value: unknown = body;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  if (typeof value !== "string") throw new Error(`no text at ${path.join(".")}`);
  return value;
}
