/** The realm `tenants` on a server, with the people of the model, and how their operations are sent to it. */
import { Agent, request as httpRequest } from "node:http";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { collections } from "../../../runtime/auth/collections.ts";
import { createKey } from "../../../runtime/auth/command-keys.ts";
import { readUser, type UserRecord } from "../../../runtime/auth/records.ts";
import { eq } from "../../../runtime/filter/algebra.ts";
import {
  deliveryTo,
  type HeldClock,
  type Started,
  startRealm,
} from "../../../runtime/instance/testing/servers.ts";
import { jobCollection, jobFields } from "../../../runtime/jobs/records.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import type { RealmModule } from "../../../runtime/realm/exchange.ts";
import type { Mail } from "../../../runtime/realm/mail.ts";
import { compileRealm } from "../../compiled.ts";
import { addressOf, insertProof, insertSession, insertUser } from "../../people.ts";
import { type Received, type Sent, send } from "../../security/send.ts";
import { type Caller, type PersonName, people, strengthened, unverified, type World } from "./world.ts";

const config = fileURLToPath(new URL("../config", import.meta.url));

export function compileTenants(): Promise<RealmModule> {
  return compileRealm(config, "tenants");
}

/** A session of somebody. */
interface Session {
  readonly id: string;
  readonly token: string;
}

export interface Tenants extends Started<HeldClock> {
  /** Every mail, oldest first, once all are sent. */
  mailed(): Promise<readonly Mail[]>;
  /** To a path below the realm, past the judge of answers: for the many looks at what is there. */
  look(caller: Caller | "administrator", path: string, world: World): Promise<Looked>;
  /** To a path below the realm. */
  send(
    caller: Caller | "administrator",
    world: World,
    method: string,
    path: string,
    sent?: Sent,
  ): Promise<Received>;
  /** A fresh proof of identity of somebody in a session. */
  proof(caller: Caller, world: World): Promise<Readonly<Record<string, string>>>;
  /** Makes an account with two sessions, one of which used a second factor. */
  join(id: string, person: PersonName): Promise<void>;
  /** New sessions of an account whose sessions were ended. */
  admit(id: string): Promise<void>;
}

export interface Looked {
  readonly status: number;
  readonly body: JsonObject;
}

const year = 365 * 86_400_000;
const proofLifetime = 5 * 60_000;

export async function startTenants(module: RealmModule): Promise<Tenants> {
  const mails: Mail[] = [];
  const server = await startRealm(module, { mail: deliveryTo((mail) => mails.push(mail)) });
  const { clock } = server;
  const { name } = module.definition;
  const store = server.store(name);
  const administrator = await createKey(store, clock, { name: "administrator", admin: true });
  const robot = await createKey(store, clock, { name: "robot", admin: false });
  const delegate = await createKey(store, clock, { name: "delegate", admin: false, onBehalfOf: true });
  const sessions = new Map<string, Session>();
  /** By session, which has one at a time. */
  const proofs = new Map<string, { readonly token: Promise<string>; readonly until: number }>();
  let serial = 0;

  async function userOf(id: string): Promise<UserRecord> {
    const document = await store.collection(collections.users).get(id, "live");
    if (document === undefined) throw new Error(`no account ${id}`);
    return readUser(document).record;
  }

  async function admit(id: string): Promise<void> {
    const { generation } = await userOf(id);
    for (const mfa of [false, true]) {
      serial += 1;
      const session = `session-${serial}`;
      // As long as the longest sequence.
      const expires_at = new Date(clock.now() + year).toISOString();
      const token = await insertSession(store, clock, id, session, { mfa, generation, expires_at });
      sessions.set(sessionKey(id, mfa), { id: session, token });
    }
  }

  function sessionOf(id: string, mfa: boolean): Session {
    const session = sessions.get(sessionKey(id, mfa));
    if (session === undefined) throw new Error(`${id} has no session`);
    return session;
  }

  function headersOf(caller: Caller | "administrator", world: World): Readonly<Record<string, string>> {
    if (caller === "administrator") return { authorization: `Bearer ${administrator}` };
    if (caller.kind === "anonymous") return {};
    if (caller.kind === "key") return { authorization: `Bearer ${robot}` };
    const id = world.newest.get(caller.person) ?? "";
    if (caller.kind === "delegate") return { authorization: `Bearer ${delegate}`, "x-svc-on-behalf-of": id };
    return { authorization: `Bearer ${sessionOf(id, caller.mfa).token}` };
  }

  async function join(id: string, person: PersonName): Promise<void> {
    await insertUser(store, clock, id, {
      email: addressOf(person),
      email_key: addressOf(person),
      email_verified: !unverified.includes(person),
      // Nobody asks for a code of it.
      totp: strengthened.includes(person) ? { secret: { key: "", box: "" }, step: 0, recovery: [] } : null,
    });
    await admit(id);
  }

  const agent = new Agent({ keepAlive: true });
  return {
    ...server,
    async mailed() {
      const waiting = eq(jobFields.kind, "mail");
      while ((await store.collection(jobCollection).count(waiting, "live")) > 0) await setImmediate();
      return mails;
    },
    join,
    admit,
    look: (caller, path, world) => look(agent, `${server.url}/v1/${name}${path}`, headersOf(caller, world)),
    send: (caller, world, method, path, { headers, ...sent } = {}) =>
      send(method, `${server.url}/v1/${name}${path}`, {
        ...sent,
        headers: { ...headersOf(caller, world), ...headers },
      }),
    async proof(caller, world) {
      if (caller.kind !== "session") return {};
      const id = world.newest.get(caller.person) ?? "";
      const user = await store.collection(collections.users).get(id, "live");
      if (user === undefined) return {};
      const session = sessionOf(id, caller.mfa).id;
      const known = proofs.get(session);
      if (known !== undefined && clock.now() < known.until) return { "x-svc-reauth": await known.token };
      const token = insertProof(store, clock, readUser(user).record, session);
      proofs.set(session, { token, until: clock.now() + proofLifetime });
      return { "x-svc-reauth": await token };
    },
    async stop() {
      agent.destroy();
      await server.stop();
    },
  };
}

/** A world in which everybody has an account, and nothing else is. */
export async function begin(server: Tenants): Promise<World> {
  const world: World = {
    now: server.clock.now(),
    accounts: new Map(),
    newest: new Map(),
    orgs: new Map(),
    documents: new Map(),
    mails: new Map(),
  };
  for (const person of people) {
    const id = `${person}1`;
    await server.join(id, person);
    world.accounts.set(id, { id, person, status: "active" });
    world.newest.set(person, id);
  }
  return world;
}

function sessionKey(id: string, mfa: boolean): string {
  return `${id} ${mfa}`;
}

function look(agent: Agent, url: string, headers: Readonly<Record<string, string>>): Promise<Looked> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { agent, headers: { ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const value: JsonValue = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        resolve({ status: response.statusCode ?? 0, body: isJsonObject(value) ? value : {} });
      });
    });
    asked.on("error", reject);
    asked.end();
  });
}
