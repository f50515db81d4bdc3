import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "../auth/collections.ts";
import { totpContext } from "../auth/credentials/second-factor.ts";
import {
  readSecret,
  readUser,
  type SecretRecord,
  type UserRecord,
  writeSecret,
  writeUser,
} from "../auth/records.ts";
import { secretContext } from "../auth/sealed.ts";
import { accountsModule, type Logged, startAccounts } from "../auth/testing/accounts.ts";
import { secondFactor, totpCode } from "../auth/testing/factor.ts";
import { timestamp } from "../clock.ts";
import { TRUE } from "../filter/algebra.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { type Vault, vault } from "../sealing.ts";
import type { Store } from "../store/contract/store.ts";
import { testPlace, testStore } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { startJobs } from "./jobs.ts";
import { mailer, mailing } from "./mail.ts";
import { realmCollections } from "./realm.ts";
import { reseal, type Sealing, startResealing } from "./resealing.ts";
import { deliveryTo, heldClock } from "./testing/servers.ts";

const { definition } = accountsModule("shop");
const clock = heldClock();
const created_at = timestamp(clock.now());
const [oldest, older, newest] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
if (oldest === undefined || older === undefined || newest === undefined) throw new Error("keys");
const vaultOf = (...keys: readonly Uint8Array[]): Vault => vault(keys, "secrets of shop");

let store: Store;
beforeEach(async () => {
  store = await testStore({ clock, collections: realmCollections(definition) });
});
afterEach(() => store.close());

const realmWith = (keys: Vault, on: Sealing["store"] = store) => ({
  definition,
  store: on,
  clock,
  vault: keys,
});

async function putSecret(name: string, sealer: Vault): Promise<void> {
  const value = sealer.seal(`value of ${name}`, secretContext(name));
  const record: SecretRecord = { id: name, value, created_at, updated_at: created_at };
  await store.collection(collections.secrets).insert(writeSecret(record, 1));
}

async function putUser(id: string, sealer: Vault, has: { totp: boolean; pending: boolean }): Promise<void> {
  const seal = (text: string) => sealer.seal(text, totpContext(id));
  const record: UserRecord = {
    id,
    email: `${id}@example.com`,
    email_key: `${id}@example.com`,
    email_verified: true,
    password: null,
    roles: [],
    disabled: false,
    locale: null,
    profile: null,
    created_at,
    generation: 1,
    totp: has.totp ? { secret: seal(`factor of ${id}`), step: 7, recovery: ["a"] } : null,
    totp_pending: has.pending ? seal(`pending of ${id}`) : null,
  };
  await store.collection(collections.users).insert(writeUser(record, 1));
}

/** Everything sealed that a vault opens. */
async function opened(by: Vault): Promise<readonly (string | undefined)[]> {
  const all = { filter: TRUE, visibility: "live", limit: 10_000, skip: 0 } as const;
  const texts: (string | undefined)[] = [];
  for (const document of await store.collection(collections.secrets).find(all)) {
    const { id, value } = readSecret(document).record;
    texts.push(by.open(value, secretContext(id)));
  }
  for (const document of await store.collection(collections.users).find(all)) {
    const { id, totp, totp_pending: pending } = readUser(document).record;
    if (totp !== null) texts.push(by.open(totp.secret, totpContext(id)));
    if (pending !== null) texts.push(by.open(pending, totpContext(id)));
  }
  return texts.sort();
}

const expected = [
  ...["S1", "S2", "S3"].map((name) => `value of ${name}`),
  ...["u1", "u3"].map((id) => `factor of ${id}`),
  ...["u2", "u3"].map((id) => `pending of ${id}`),
].sort();

async function fill(sealer: Vault): Promise<void> {
  for (const name of ["S1", "S2", "S3"]) await putSecret(name, sealer);
  await putUser("u1", sealer, { totp: true, pending: false });
  await putUser("u2", sealer, { totp: false, pending: true });
  await putUser("u3", sealer, { totp: true, pending: true });
  await putUser("u4", sealer, { totp: false, pending: false });
}

/** The store, in which something happens before each replacement. */
function meddled(before: () => void | Promise<void>): Sealing["store"] {
  return {
    lease: (...args) => store.lease(...args),
    collection(name) {
      const collection = store.collection(name);
      return {
        find: (query) => collection.find(query),
        get: (...args) => collection.get(...args),
        async replace(...args) {
          await before();
          return collection.replace(...args);
        },
      };
    },
  };
}

describe("Sealing anew by the newest key", () => {
  it("a key can be dropped after the next one is listed, again and again", async () => {
    await fill(vaultOf(oldest));
    const counts = {
      renewed: { secrets: 3, second_factors: 4, mails: 0 },
      closed: { secrets: 0, second_factors: 0, mails: 0 },
    };
    expect(await reseal(realmWith(vaultOf(older, oldest)))).toEqual(counts);
    expect(await opened(vaultOf(older))).toEqual(expected);
    expect(await reseal(realmWith(vaultOf(newest, older)))).toEqual(counts);
    expect(await opened(vaultOf(newest))).toEqual(expected);
    // On either side of the newest key's id stand those of others.
    expect(await reseal(realmWith(vaultOf(oldest, newest)))).toEqual(counts);
    expect(await opened(vaultOf(oldest))).toEqual(expected);
    expect(await reseal(realmWith(vaultOf(oldest, newest)))).toMatchObject({ renewed: { secrets: 0 } });
  });

  it("the rest of a record stays as it is", async () => {
    await fill(vaultOf(oldest));
    await reseal(realmWith(vaultOf(newest, oldest)));
    const user = await store.collection(collections.users).get("u3", "live");
    const secret = await store.collection(collections.secrets).get("S1", "live");
    if (user === undefined || secret === undefined) throw new Error("gone");
    expect(user.version).toBe(3);
    expect(readUser(user).record).toMatchObject({
      email: "u3@example.com",
      totp: { step: 7, recovery: ["a"] },
    });
    expect(readSecret(secret).record).toMatchObject({ created_at, updated_at: created_at });
  });

  it("goes on behind what no key opens, over many pages, and counts that", async () => {
    for (let at = 0; at < 220; at += 1) await putSecret(`X${at}`, vaultOf(newest));
    for (let at = 0; at < 120; at += 1) await putSecret(`Y${at}`, vaultOf(oldest));
    expect(await reseal(realmWith(vaultOf(older, oldest)))).toEqual({
      renewed: { secrets: 120, second_factors: 0, mails: 0 },
      closed: { secrets: 220, second_factors: 0, mails: 0 },
    });
    const texts = await opened(vaultOf(older, newest));
    expect(texts.filter((text) => text !== undefined)).toHaveLength(340);
  });

  it("what was cut off in the middle goes on where it ended", async () => {
    await fill(vaultOf(oldest));
    let writes = 0;
    const dying = meddled(() => {
      writes += 1;
      if (writes === 3) throw new Error("the process dies");
    });
    await expect(reseal(realmWith(vaultOf(newest, oldest), dying))).rejects.toThrow("dies");
    expect(await opened(vaultOf(newest, oldest))).toEqual(expected);
    let asked = 0;
    expect(await reseal(realmWith(vaultOf(newest, oldest)), () => ++asked > 2)).toBeUndefined();
    expect(await reseal(realmWith(vaultOf(newest, oldest)))).toMatchObject({
      renewed: { secrets: 0, second_factors: 3, mails: 0 },
    });
    expect(await opened(vaultOf(newest))).toEqual(expected);
  });

  it("takes nothing back that somebody writes meanwhile", async () => {
    await putUser("u1", vaultOf(oldest), { totp: true, pending: false });
    let writes = 0;
    const busy = meddled(async () => {
      writes += 1;
      if (writes > 2) return;
      const document = await store.collection(collections.users).get("u1", "live");
      if (document === undefined) throw new Error("gone");
      const { record, version } = readUser(document);
      const after = { ...record, roles: [...record.roles, `role ${writes}`] };
      await store.collection(collections.users).replace(version, writeUser(after, version + 1));
    });
    expect(await reseal(realmWith(vaultOf(newest, oldest), busy))).toMatchObject({
      renewed: { second_factors: 1, mails: 0 },
    });
    const document = await store.collection(collections.users).get("u1", "live");
    expect(document && readUser(document).record.roles).toEqual(["role 1", "role 2"]);
    expect(await opened(vaultOf(newest))).toEqual(["factor of u1"]);
  });

  it("is not finished where somebody writes a document again and again", async () => {
    await putSecret("S1", vaultOf(oldest));
    const busy = meddled(async () => {
      const document = await store.collection(collections.secrets).get("S1", "live");
      if (document === undefined) throw new Error("gone");
      const { record, version } = readSecret(document);
      await store.collection(collections.secrets).replace(version, writeSecret(record, version + 1));
    });
    expect(await reseal(realmWith(vaultOf(newest, oldest), busy))).toBeUndefined();
    expect(await reseal(realmWith(vaultOf(newest, oldest)))).toMatchObject({ renewed: { secrets: 1 } });
  });

  it("mails that wait are sealed anew, too", async () => {
    const mail = { from: "shop@example.com", to: "ada@example.com", subject: "Hello", text: "svt_secret" };
    const own = mailer({ clock, newId: idGenerator(clock), vault: vaultOf(oldest) });
    await store.transaction((transaction) => own.queue(transaction, mail));
    const counts = { secrets: 0, second_factors: 0, mails: 1 };
    expect(await reseal(realmWith(vaultOf(newest, oldest)))).toMatchObject({ renewed: counts });
    const sent: string[] = [];
    const realm = { definition, store, clock, vault: vaultOf(newest), newId: () => "", log: silent };
    const delivery = deliveryTo(({ text }) => sent.push(text));
    await startJobs(
      [realm],
      () => [mailing([realm], delivery, silent)],
      () => () => undefined,
    ).stop();
    expect(sent).toEqual(["svt_secret"]);
  });

  it("a realm without accounts has secrets alone", async () => {
    await putSecret("S1", vaultOf(oldest));
    const { accounts: _, ...plain } = definition;
    expect(await reseal({ ...realmWith(vaultOf(newest, oldest)), definition: plain })).toEqual({
      renewed: { secrets: 1, second_factors: 0, mails: 0 },
      closed: { secrets: 0, second_factors: 0, mails: 0 },
    });
  });
});

describe("In the background of an instance", () => {
  it("waits for another instance that is at it, tells what it did, and ends", async () => {
    await fill(vaultOf(oldest));
    await putSecret("S4", vaultOf(older));
    const logs: Logged[] = [];
    const log = (level: Logged["level"]) => (fields: object, message: string) =>
      void logs.push({ level, fields, message });
    let asked = 0;
    const counting = {
      collection: (name: string) => store.collection(name),
      async lease(...args: Parameters<Store["lease"]>) {
        const lease = await store.lease(...args);
        asked += 1;
        return lease;
      },
    };
    const realm = realmWith(vaultOf(newest, oldest), counting);
    const rounds: (() => void)[] = [];
    const cancel = vi.fn();
    const lease = await store.lease("resealing", 60_000);
    const job = startResealing(
      [realm],
      true,
      { info: log("info"), warn: log("warn"), error: log("error") },
      (_, work) => {
        rounds.push(work);
        return cancel;
      },
    );
    await until(() => expect(asked).toBe(1));
    expect(logs).toEqual([]);
    await lease?.release();
    await until(() => {
      for (const round of rounds) round();
      expect(cancel).toHaveBeenCalledOnce();
    });
    await job.stop();
    expect(logs.map(({ level, fields }) => [level, fields])).toEqual([
      ["info", { realm: "shop", secrets: 3, second_factors: 4, mails: 0 }],
      ["warn", { realm: "shop", secrets: 1, second_factors: 0, mails: 0 }],
      ["info", {}],
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/S1|u1|value|factor of/);
  });
});

it("Secrets and second factors outlast two rotations of SVC_KEYS of a server", async () => {
  const place = testPlace();
  const started = async (...keys: readonly Uint8Array[]) =>
    startAccounts({}, { settings: { store: place.location, keys } });
  try {
    let server = await started(oldest);
    const key = await server.adminKey(["secrets"]);
    await server.send("PUT", "/_admin/secrets/STRIPE", { token: key, body: { value: "sk_live" } });
    const { secret: factor } = await secondFactor(server, await server.signup("ada@example.com"));
    await server.stop();
    for (const keys of [
      [older, oldest],
      [newest, older],
    ]) {
      server = await started(...keys);
      const { logs } = server;
      await until(() => expect(logs.map(({ fields }) => fields)).toContainEqual({}));
      expect(logs.map(({ fields }) => fields)).toContainEqual({
        realm: "shop",
        secrets: 1,
        second_factors: 1,
        mails: 0,
      });
      await server.stop();
    }
    server = await started(newest);
    const secret = await server.store("shop").collection(collections.secrets).get("STRIPE", "live");
    expect(secret && vaultOf(newest).open(readSecret(secret).record.value, secretContext("STRIPE"))).toBe(
      "sk_live",
    );
    server.clock.advance(30_000);
    const code = totpCode(factor, server.clock.now());
    expect(await server.login("ada@example.com", "shop", { code })).toMatchObject({
      token: expect.any(String),
    });
    await server.stop();
  } finally {
    await place.discard();
  }
});
