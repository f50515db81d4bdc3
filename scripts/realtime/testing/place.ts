/** The realms `live` and `other` on one server, with people who come to open a stream each. */
import { fileURLToPath } from "node:url";
import { createKey } from "../../../runtime/auth/command-keys.ts";
import { type HeldClock, startRealm } from "../../../runtime/instance/testing/servers.ts";
import type { RealmModule } from "../../../runtime/realm/exchange.ts";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { compileRealm } from "../../compiled.ts";
import { insertSession, insertUser } from "../../people.ts";
import { followingAll, opened } from "../wire/opened.ts";
import { closeIdle, type Headers } from "../wire/requests.ts";

const folder = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** `live` and `other`, which takes longer than a server to start. */
export async function compilePlace(): Promise<readonly RealmModule[]> {
  return [await compileRealm(folder("config"), "live"), await compileRealm(folder("elsewhere"), "other")];
}

export interface Place {
  /** Of `live`. */
  readonly url: string;
  /** Of `other`, where nobody is asked who they are. */
  readonly other: string;
  /** Stands still until it is told otherwise. */
  readonly clock: HeldClock;
  readonly store: Store;
  /** A user without roles who has not opened anything. */
  somebody(roles?: readonly string[]): Promise<Headers>;
  /** Another session of somebody. */
  again(headers: Headers): Promise<Headers>;
  /** One who has opened a stream in this very second. */
  tooFast(): Promise<Headers>;
  /** A key that reads `posts` and `tasks`. */
  limitedKey(): Promise<Headers>;
  stop(): Promise<void>;
}

export async function startPlace(modules: readonly RealmModule[]): Promise<Place> {
  const server = await startRealm(modules);
  const { clock } = server;
  const store = server.store("live");
  const url = `${server.url}/v1/live`;
  let serial = 0;
  /** Who comes with what. */
  const known = new Map<Headers, string>();
  const session = async (id: string) => {
    serial += 1;
    const headers = { authorization: `Bearer ${await insertSession(store, clock, id, `session-${serial}`)}` };
    known.set(headers, id);
    return headers;
  };
  const somebody = async (roles: readonly string[] = []) => {
    serial += 1;
    const id = `user-${serial}`;
    await insertUser(store, clock, id, { roles });
    return session(id);
  };
  return {
    url,
    other: `${server.url}/v1/other`,
    clock,
    store,
    somebody,
    again(headers) {
      const id = known.get(headers);
      if (id === undefined) throw new Error("nobody comes with these");
      return session(id);
    },
    async tooFast() {
      const headers = await somebody();
      const stream = await opened(`${url}/_realtime`, { headers, body: followingAll("posts") });
      if ("status" in stream) throw new Error(`a stream was refused: ${stream.status} ${stream.code}`);
      stream.cut();
      return headers;
    },
    async limitedKey() {
      serial += 1;
      const scopes = { read: ["main/posts", "main/tasks"] };
      const key = await createKey(store, clock, { name: `key-${serial}`, admin: false, scopes });
      return { authorization: `Bearer ${key}` };
    },
    async stop() {
      closeIdle();
      await server.stop();
    },
  };
}
