/** Uploads that nobody has completed yet: what they hold, how many there may be, and how they end. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usedOf } from "../documents/files/usage.ts";
import { code, collection, text } from "../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { organizationRoutes } from "../organizations/routes.ts";
import { organizationSettings, organizationsIn } from "../organizations/testing/realm.ts";
import { allowed } from "../rules/index.ts";
import { ask, begin, claim, pdf, send } from "./testing/direct.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const everyone = { create: allowed, read: allowed, update: allowed, delete: allowed };
const papers = collection("papers", {
  files: [
    fileField("scan", { upload: "direct" }),
    fileField("other", { upload: "direct" }),
    fileField("pages", { upload: "direct", maxFiles: 100 }),
  ],
  organization: { required: false, onDelete: "delete" },
  rules: everyone,
});

const quota = 1_000;
let vault: Vault;
let ann: string;
let bob: string;
let founder: string;
beforeAll(async () => {
  vault = await startVault(
    "enabled",
    [papers],
    { quota, quotaPerOrg: 300 },
    { accounts: { organizations: organizationSettings }, routes: [organizationRoutes("shop")] },
  );
  ann = (await vault.signUp("ann@example.com")).token;
  bob = (await vault.signUp("bob@example.com")).token;
  founder = (await vault.signUp("founder@example.com")).id;
});
afterAll(() => vault.stop());

const made = (token = ann, query = "") => vault.made("papers", {}, query, token);
const refused = async (at: string, body: JsonObject, token = ann) => {
  const answer = await ask(vault, at, body, { token });
  return [answer.status, code(answer)];
};
const full = [413, "quota_exceeded"];

/** What is counted of one: bytes that are named, and those that uploads hold. */
async function counted(id: string): Promise<readonly [number, number]> {
  const { bytes, open } = await usedOf(vault.store("shop"), id);
  return [bytes, open.bytes];
}

/** All that uploads hold, of anybody. */
async function held(): Promise<number> {
  return (await vault.records("usage")).filter(({ open }) => open !== undefined).length;
}

describe("Bytes of open uploads", () => {
  it("count against the quota until they are completed, and then once", async () => {
    const at = `papers/${await made()}/_files/scan`;
    const bytes = pdf(700);
    const started = await begin(vault, at, claim(bytes), { token: ann });
    expect(await counted("realm")).toEqual([0, 700]);
    const elsewhere = `papers/${await made()}/_files/scan`;
    expect(await refused(elsewhere, claim(pdf(301)))).toEqual(full);
    const proxied = await vault.bring("POST", elsewhere, { bytes: pdf(301), token: ann });
    expect([proxied.status, code(proxied)]).toEqual(full);
    expect(await send(vault, started, bytes)).toBe(204);
    const done = await vault.bring("POST", started.path, { token: ann });
    expect(done.status).toBe(201);
    expect(await counted("realm")).toEqual([700, 0]);
    expect(await held()).toBe(0);
    expect(await refused(elsewhere, claim(pdf(301)))).toEqual(full);
    await vault.uploaded(elsewhere, 300, { token: ann });
    for (const path of [elsewhere, at]) {
      const { scan } = (await vault.send("GET", path.replace("/_files/scan", ""), { token: ann })).body;
      const file = isJsonObject(scan) ? text(scan, "id") : "";
      expect((await vault.bring("DELETE", `${path}/${file}`, { token: ann })).status).toBe(204);
    }
    expect(await counted("realm")).toEqual([0, 0]);
  });

  it("count no longer when the time of the upload is over and the sweep has come by", async () => {
    const at = `papers/${await made()}/_files/scan`;
    const bytes = pdf(900);
    const started = await begin(vault, at, claim(bytes), { token: ann });
    await send(vault, started, bytes);
    expect(await refused(at, claim(pdf(101)))).toEqual(full);
    await vault.swept();
    expect(await counted("realm")).toEqual([0, 0]);
    expect(await held()).toBe(0);
    // That it was over once is not told again.
    await vault.swept(86_400_000);
    expect(await counted("realm")).toEqual([0, 0]);
    expect((await ask(vault, at, claim(bytes), { token: ann })).status).toBe(201);
    await vault.swept();
  });

  it("of an exchange count as far as they are more than what they replace", async () => {
    const at = `papers/${await made()}/_files/scan`;
    await vault.uploaded(at, 800, { token: ann });
    const query = "?replace=true";
    const tooLarge = await ask(vault, at, claim(pdf(1_001)), { token: ann, query });
    expect([tooLarge.status, code(tooLarge)]).toEqual(full);
    const bytes = pdf(950);
    const started = await begin(vault, at, claim(bytes), { token: ann, query });
    expect(await counted("realm")).toEqual([800, 150]);
    await send(vault, started, bytes);
    const done = await vault.bring("POST", started.path, { token: ann });
    expect(done.status).toBe(201);
    expect(await counted("realm")).toEqual([950, 0]);
    await vault.bring("DELETE", `${at}/${text(done.body, "id")}`, { token: ann });
  });

  it("count against the quota of the document's organization, too", async () => {
    const { id: org } = await organizationsIn({ store: vault.store("shop"), clock: vault.clock }).createOrg({
      id: founder,
    });
    const key = await vault.key({ name: `of ${org}`, admin: true });
    const { body } = await vault.send("POST", `../_admin/data/main/papers?org=${org}`, {
      body: { title: "a" },
      token: key,
    });
    const at = `papers/${text(body, "id")}/_files/scan`;
    const bytes = pdf(200);
    const started = await begin(vault, at, claim(bytes), { token: key });
    expect([await counted(`org:${org}`), await counted("realm")]).toEqual([
      [0, 200],
      [0, 200],
    ]);
    expect(await refused(at, claim(pdf(101)), key)).toEqual(full);
    await send(vault, started, bytes);
    expect((await vault.bring("POST", started.path, { token: key })).status).toBe(201);
    expect([await counted(`org:${org}`), await counted("realm")]).toEqual([
      [200, 0],
      [200, 0],
    ]);
  });

  it("hold it exactly, however many are begun at once", async () => {
    const [free] = await counted("realm");
    const size = Math.floor((quota - free) / 3);
    const at = `papers/${await made()}/_files/pages`;
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => ask(vault, at, claim(pdf(size)), { token: ann })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, 413, 413, 413, 413, 413, 413]);
    expect((await counted("realm"))[1]).toBe(3 * size);
    await vault.swept();
  });
});

describe("Open uploads", () => {
  const small = () => claim(pdf(9));

  it("of one field of a document are five, or as many again as it takes files: 429 with Retry-After", async () => {
    const id = await made();
    const at = `papers/${id}/_files/scan`;
    for (let n = 0; n < 5; n += 1) await begin(vault, at, small(), { token: n % 2 === 0 ? ann : bob });
    const answer = await ask(vault, at, small(), { token: bob });
    expect([answer.status, code(answer)]).toEqual([429, "too_many_requests"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask(vault, `papers/${id}/_files/other`, small(), { token: ann })).status).toBe(201);
    await vault.swept();
    const bytes = pdf(9);
    const started = await begin(vault, at, claim(bytes), { token: ann });
    for (let n = 0; n < 4; n += 1) await begin(vault, at, small(), { token: ann });
    expect((await ask(vault, at, small(), { token: ann })).status).toBe(429);
    // One that is completed makes room.
    await send(vault, started, bytes);
    expect((await vault.bring("POST", started.path, { token: ann })).status).toBe(201);
    expect((await ask(vault, at, small(), { token: ann, query: "?replace=true" })).status).toBe(201);
    await vault.swept();
    expect(await held()).toBe(0);
  });

  it("of one caller are a hundred, by whatever session: 429; others go on", async () => {
    const at = `papers/${await made()}/_files/pages`;
    const body = { email: "ann@example.com", password: "correct horse" };
    const another = text((await vault.send("POST", "../_auth/login", { body })).body, "session", "token");
    for (let n = 0; n < 100; n += 1)
      await begin(vault, at, claim(pdf(9), { size: 1 }), { token: n % 2 === 0 ? ann : another });
    for (const token of [ann, another]) {
      const answer = await ask(vault, at, small(), { token });
      expect([answer.status, code(answer)]).toEqual([429, "too_many_requests"]);
    }
    expect((await ask(vault, at, small(), { token: bob })).status).toBe(201);
    await vault.swept();
    expect((await ask(vault, at, small(), { token: ann })).status).toBe(201);
    await vault.swept();
    expect(await held()).toBe(0);
  });

  it("are each ended once, by whoever is first: a completion, or the sweep", async () => {
    const at = `papers/${await made()}/_files/pages`;
    const all = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const bytes = pdf(9);
        const started = await begin(vault, at, claim(bytes), { token: ann });
        await send(vault, started, bytes);
        return started;
      }),
    );
    vault.clock.advance(15 * 60_000 - 1);
    const [, ...answers] = await Promise.all([
      vault.swept(2),
      ...all.map(({ path }) => vault.bring("POST", path, { token: ann })),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(new Set([...statuses, 201, 404])).toEqual(new Set([201, 404]));
    await vault.swept();
    expect(await held()).toBe(0);
    const files = (await vault.send("GET", at.replace("/_files/pages", ""), { token: ann })).body["pages"];
    expect(Array.isArray(files) ? files.length : 0).toBe(statuses.filter((each) => each === 201).length);
  });
});
