/** Who is there when a run begins, put straight into the store. */
import { collections } from "../../../runtime/auth/collections.ts";
import { createKey } from "../../../runtime/auth/command-keys.ts";
import { readUser, type UserRecord } from "../../../runtime/auth/records.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { insertOrganization, insertProof, insertSession, insertUser } from "../../people.ts";
import type { Headers } from "../wire/requests.ts";
import type { Access, Caller } from "./world.ts";

/** Manages every organization, with a second factor. */
export const root = "root";
export const users = ["ann", "bob", "cid", "eve"] as const;
export const orgs = ["acme", "bolt", "crow"] as const;

/** What keys that are limited may read. */
export const scopes = ["main/beats", "main/posts", "main/tasks"] as const;

const year = 365 * 86_400_000;

/** What everybody sends to be known, by what it is called. */
export class Credentials {
  readonly #tokens = new Map<string, string>();
  #serial = 0;

  set(name: string, token: string): void {
    this.#tokens.set(name, token);
  }

  token(name: string): string {
    const token = this.#tokens.get(name);
    if (token === undefined) throw new Error(`no credential ${name}`);
    return token;
  }

  next(name: string): string {
    this.#serial += 1;
    return `${name}-${this.#serial}`;
  }

  bearer(name: string): Headers {
    return { authorization: `Bearer ${this.token(name)}` };
  }

  /** @param name of a session or a key; undefined: the caller has none */
  headersOf(caller: Caller, name: string | undefined): Headers {
    if (name === undefined) return {};
    const bearer = this.bearer(name);
    return caller.kind === "delegate" ? { ...bearer, "x-svc-on-behalf-of": caller.user } : bearer;
  }
}

/** A caller, and what their credential is called. */
export interface Known {
  readonly caller: Caller;
  readonly credential: string | undefined;
}

/** Makes users, organizations and keys; answers the access that they begin with. */
export async function settleIn(store: Store, clock: Clock, credentials: Credentials): Promise<Access> {
  for (const id of [root, ...users]) {
    await insertUser(store, clock, id, {
      roles: id === "bob" ? ["editor"] : id === "eve" ? ["critic"] : [],
      // Nobody asks for a code of it.
      totp: { secret: { key: "", box: "" }, step: 0, recovery: [] },
    });
    if (id !== root) continue;
    await newSession(store, clock, credentials, root, { mfa: true, name: root });
  }
  for (const org of orgs) {
    await insertOrganization(
      store,
      clock,
      org,
      { [root]: { roles: ["owner"] } },
      { teams: [{ id: `${org}-team`, name: "first", roles: [] }] },
    );
  }
  credentials.set("administrator", await createKey(store, clock, { name: "administrator", admin: true }));
  const delegate = { name: "delegate", admin: false, onBehalfOf: true };
  credentials.set("delegate", await createKey(store, clock, delegate));
  return {
    now: clock.now(),
    critical: false,
    ring: 1,
    roles: { [root]: [], ann: [], bob: ["editor"], cid: [], eve: ["critic"] },
    orgs: Object.fromEntries(
      orgs.map((org) => [
        org,
        {
          deleted: false,
          requireMfa: false,
          plan: undefined,
          teams: [`${org}-team`],
          members: { [root]: { roles: ["owner"], teams: [], teamRoles: [] } },
        },
      ]),
    ),
  };
}

/**
 * @param lifetime milliseconds
 * @returns what its credential is called
 */
export async function newSession(
  store: Store,
  clock: Clock,
  credentials: Credentials,
  user: string,
  {
    mfa,
    name = credentials.next(user),
    lifetime = year,
  }: { readonly mfa: boolean; readonly name?: string; readonly lifetime?: number },
): Promise<string> {
  const expires_at = new Date(clock.now() + lifetime).toISOString();
  const { generation } = await userOf(store, user);
  credentials.set(name, await insertSession(store, clock, user, name, { mfa, generation, expires_at }));
  return name;
}

/** A session of whoever manages organizations, with a fresh proof of identity. */
export async function newProof(store: Store, clock: Clock, credentials: Credentials): Promise<Headers> {
  const session = await newSession(store, clock, credentials, root, { mfa: true });
  const proof = await insertProof(store, clock, await userOf(store, root), session);
  return { ...credentials.bearer(session), "x-svc-reauth": proof };
}

async function userOf(store: Store, id: string): Promise<UserRecord> {
  const document = await store.collection(collections.users).get(id, "live");
  if (document === undefined) throw new Error(`no user ${id}`);
  return readUser(document).record;
}

/** A key that nobody has limited, or one of {@link scopes}. */
export async function newKey(
  store: Store,
  clock: Clock,
  credentials: Credentials,
  limited: boolean,
): Promise<Known> {
  const name = credentials.next("key");
  const read = limited ? scopes : undefined;
  const key = { name, admin: false, ...(read !== undefined && { scopes: { read: [...read] } }) };
  credentials.set(name, await createKey(store, clock, key));
  return { caller: { kind: "key", scopes: read }, credential: name };
}
