import { type StartOptions, startRealm } from "../instance/testing.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { AccountSettings } from "../realm/definition.ts";
import type { RealmModule, RouteFactory } from "../realm/exchange.ts";
import { accountRoutes } from "./accounts/routes.ts";
import { administrationRoutes } from "./administration/routes.ts";
import { createKey, type NewKey } from "./keys.ts";

export const minute = 60_000;
export const day = 86_400_000;
export const origin = "https://app.example.com";
export const password = "correct horse";

const settings: AccountSettings = {
  signup: "open",
  roles: ["agent", "boss"],
  defaultRoles: [],
  sessionLifetime: 30 * day,
  sessionIdleTimeout: 7 * day,
};

/** A realm with accounts, and one route of its own, `/whoami`, that answers the caller it sees. */
export function accountsModule(name: string, accounts: Partial<AccountSettings> = {}): RealmModule {
  const whoami: RouteFactory = ({ authenticate }) => ({
    class: "document",
    handle: async (exchange) => ({ status: 200, body: JSON.stringify(await authenticate?.(exchange)) }),
  });
  return {
    definition: {
      name,
      accounts: { ...settings, ...accounts },
      origins: [origin],
      appConfig: {},
      openapi: { access: "public", document: {} },
      collections: [],
    },
    routes: [
      accountRoutes(name),
      administrationRoutes(name),
      { [`/v1/${name}/whoami`]: { GET: whoami, POST: whoami } },
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

/** A running realm named `shop` (and `other`, alike), with what tests of accounts do all the time. */
export async function startAccounts(
  accounts: Partial<AccountSettings> = {},
  options: Omit<StartOptions, "clock"> = {},
) {
  const modules = [accountsModule("shop", accounts), accountsModule("other", accounts)];
  const server = await startRealm(modules, options);

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

  return {
    ...server,
    send,
    async signup(email: string, realm = "shop", more: JsonObject = {}): Promise<Person> {
      const { status, body } = await send(
        "POST",
        "/_auth/signup",
        { body: { email, password, ...more } },
        realm,
      );
      if (status !== 201) throw new Error(`sign-up answered ${status} ${JSON.stringify(body)}`);
      return { id: text(body, "user", "id"), email, ...started(body) };
    },
    async login(
      email: string,
      realm = "shop",
    ): Promise<{ readonly token: string; readonly session: string }> {
      const { status, body } = await send("POST", "/_auth/login", { body: { email, password } }, realm);
      if (status !== 200) throw new Error(`login answered ${status} ${JSON.stringify(body)}`);
      return started(body);
    },
    key(key: Partial<NewKey> = {}, realm = "shop"): Promise<string> {
      return createKey(server.store(realm), server.clock, { name: "test", admin: false, ...key });
    },
  };
}

export type Accounts = Awaited<ReturnType<typeof startAccounts>>;

function started(body: JsonObject) {
  return { token: text(body, "session", "token"), session: text(body, "session", "id") };
}

function text(body: JsonObject, ...path: readonly string[]): string {
  let value: unknown = body;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  if (typeof value !== "string") throw new Error(`no text at ${path.join(".")}`);
  return value;
}
