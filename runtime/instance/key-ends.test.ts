import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collections } from "../auth/collections.ts";
import { allKeys } from "../auth/command-keys.ts";
import { type KeyBinding, type KeyRecord, writeKey } from "../auth/key-records.ts";
import { makeKey } from "../auth/keys.ts";
import { type UserRecord, writeUser } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import { eq } from "../filter/algebra.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { jobCollection, jobFields, readJob } from "../jobs/records.ts";
import { runJobs } from "../jobs/testing/run.ts";
import { newMember } from "../organizations/member-change.ts";
import { realmOrganizations } from "../organizations/realm.ts";
import { memberId, writeMember } from "../organizations/records.ts";
import { definitionOf, organizationsIn } from "../organizations/testing/realm.ts";
import type { Mail } from "../realm/mail.ts";
import { vault } from "../sealing.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { keyEnds } from "./key-ends.ts";
import { mailer } from "./mail.ts";
import { realmCollections } from "./realm.ts";
import { type HeldClock, heldClock } from "./testing/servers.ts";

const day = 86_400_000;
const definition = definitionOf();
const keyring = vault([new Uint8Array(32)], "shop");

let clock: HeldClock;
let store: Store;
let newId: () => string;
beforeEach(async () => {
  clock = heldClock();
  newId = idGenerator(clock);
  store = await testStore({ clock, collections: realmCollections(definition) });
});
afterEach(() => store.close());

async function user(name: string, more: Partial<UserRecord> = {}): Promise<string> {
  const email = `${name}@example.com`;
  const record: UserRecord = {
    ...{
      id: newId(),
      email,
      email_key: email,
      email_verified: false,
      locale: null,
      roles: [],
      profile: null,
    },
    ...{ password: "", disabled: false, generation: 0, totp: null, totp_pending: null },
    ...{ created_at: timestamp(clock.now()) },
    ...more,
  };
  await store.collection(collections.users).insert(writeUser(record, 1));
  return record.id;
}

async function key(
  days: number,
  { binding, by = "command-line" }: { readonly binding?: KeyBinding; readonly by?: string } = {},
): Promise<KeyRecord> {
  const id = newId();
  const now = clock.now();
  const wanted = { name: `key ${id}`, admin: false, binding, expiresAt: now + days * day } as const;
  const { record } = makeKey(wanted, by, now, () => id);
  await store.collection(collections.keys).insert(writeKey(record, 1));
  return record;
}

/** What an instance does when a day has passed. */
async function look(instances = 1): Promise<void> {
  const realms = Array.from({ length: instances }, () => {
    const own = { definition, store, clock, newId, log: silent };
    const organizations = realmOrganizations(own);
    return { ...own, mail: mailer({ ...own, vault: keyring }), ...(organizations && { organizations }) };
  });
  await Promise.all(realms.map((realm) => runJobs(realm, [keyEnds(realm)])));
}

/** All mails that were queued, as text, by whom they are to. */
async function mails(): Promise<Record<string, readonly string[]>> {
  const query = { filter: eq(jobFields.kind, "mail"), visibility: "live", limit: 100, skip: 0 } as const;
  const all: Record<string, string[]> = {};
  for (const { record } of (await store.collection(jobCollection).find(query)).map(readJob)) {
    const mail: Mail = JSON.parse((record.sealed && keyring.open(record.sealed, `mail:${record.id}`)) ?? "");
    all[mail.to] = [...(all[mail.to] ?? []), mail.text];
  }
  return all;
}

describe("the end of keys", () => {
  it("is told a week before to the user of a token or of a key that is pinned to them, and to who made others", async () => {
    const [ann, bob, cid] = [await user("ann"), await user("bob"), await user("cid")];
    const token = await key(30, { binding: { kind: "personal", user: ann } });
    await key(31, { binding: { kind: "user", user: bob }, by: `user:${cid}` });
    await key(30, { by: `user:${cid}` });
    await key(30);
    await key(30, { by: "key:ops" });
    await look();
    clock.advance(22 * day);
    await look();
    expect(await mails()).toEqual({});
    clock.advance(day);
    await look();
    const first = await mails();
    expect(Object.keys(first).sort()).toEqual(["ann@example.com", "cid@example.com"]);
    expect(first["ann@example.com"]).toEqual([expect.stringContaining(`begins with ${token.start}`)]);
    expect(first["ann@example.com"]?.[0]).toContain("ends at 2026-01-31");
    expect(first["ann@example.com"]?.[0]).not.toContain(token.name);
    clock.advance(day);
    await look();
    expect(Object.keys(await mails()).sort()).toEqual([
      "ann@example.com",
      "bob@example.com",
      "cid@example.com",
    ]);
  });

  it("is told once, whatever instances look and however often, several to one address together", async () => {
    const ann = await user("ann");
    for (let n = 0; n < 3; n += 1) await key(30, { binding: { kind: "personal", user: ann } });
    await look(2);
    clock.advance(24 * day);
    await look(3);
    clock.advance(day);
    await look(3);
    const { "ann@example.com": sent = [] } = await mails();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.match(/begins with svk_/g)).toHaveLength(3);
  });

  it("is not told of keys that lived for a week at most, of those that are over, nor to disabled accounts", async () => {
    const [ann, bob] = [await user("ann"), await user("bob", { disabled: true })];
    await key(7, { binding: { kind: "personal", user: ann } });
    await key(10, { binding: { kind: "personal", user: ann } });
    await key(20, { binding: { kind: "personal", user: bob } });
    await look();
    clock.advance(6 * day);
    // Nobody looks for days.
    clock.advance(9 * day);
    await look();
    expect(await mails()).toEqual({});
  });

  it("of an organization's key is told to who made it while they are a member, else to a manager", async () => {
    const made = organizationsIn({ store, clock });
    const [ann, bob, cid] = [await user("ann"), await user("bob"), await user("cid")];
    const org = await made.createOrg({ id: ann });
    await made.join(org, { id: bob });
    const binding = { kind: "organization", org: org.id } as const;
    await key(30, { binding, by: `user:${bob}` });
    await key(40, { binding, by: `user:${cid}` });
    await look();
    clock.advance(24 * day);
    await look();
    expect(Object.keys(await mails())).toEqual(["bob@example.com"]);
    clock.advance(10 * day);
    await look();
    expect(Object.keys(await mails()).sort()).toEqual(["ann@example.com", "bob@example.com"]);
  });

  it("of tenants' keys: they are removed 30 days after it, with service members; operators' stay", async () => {
    const made = organizationsIn({ store, clock });
    const ann = await user("ann");
    const org = await made.createOrg({ id: ann });
    await key(5, { binding: { kind: "personal", user: ann } });
    const service = await key(5, { binding: { kind: "organization", org: org.id } });
    const member = { ...newMember({ clock }, org.id, service.key), service: service.name };
    await store.collection("_svc.members").insert(writeMember(member, 1));
    const operators = await key(5);
    const later = await key(6, { binding: { kind: "personal", user: ann } });
    await look();
    clock.advance(35 * day);
    await look();
    const left: unknown[] = [];
    for await (const { id } of allKeys(store)) left.push(id);
    expect(left.sort()).toEqual([operators.key, later.key].sort());
    expect(await store.collection("_svc.members").get(memberId(org.id, service.key), "live")).toBeUndefined();
    expect(await store.collection("_svc.members").get(memberId(org.id, ann), "live")).toBeDefined();
  });
});
