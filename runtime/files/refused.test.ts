/** Uploads that are refused after their first byte leave nothing, whatever refuses them, on each driver and each way. */
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startS3 } from "../blobs/testing/s3/server.ts";
import { collection, text } from "../documents/testing/shop.ts";
import type { JsonObject } from "../json.ts";
import type { StorageDefinition } from "../realm/files.ts";
import type { WriteRule } from "../realm/rule.ts";
import { allowed } from "../rules/index.ts";
import { type Refusal, refusals, type Sending, ways } from "./testing/refusals.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const mib = 1024 * 1024;
const quota = 3 * mib;
const more = { upload: "any", maxSize: 4 * mib } as const;
const titledA: WriteRule<JsonObject | undefined> = { check: (_, document) => document?.["title"] === "a" };
const papers = collection("papers", {
  files: [
    fileField("scan", more),
    fileField("filled", more),
    fileField("picture", { ...more, accept: ["image/png"] }),
    fileField("ruled", more),
  ],
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed },
  fieldRules: [{ path: ["ruled"], write: titledA }],
});

interface Place {
  readonly storage: Pick<StorageDefinition, "driver">;
  readonly settings: NonNullable<Parameters<typeof startVault>[3]>["settings"];
  /** Keys of what is stored. */
  lying(vault: Vault): Promise<readonly string[]>;
  spool(vault: Vault): string;
  stop(): Promise<void>;
}

async function local(): Promise<Place> {
  const of = (vault: Vault) => join(vault.folder, "files", "shop");
  return {
    storage: { driver: { kind: "local" } },
    settings: {},
    async lying(vault) {
      const found = await readdir(of(vault), { recursive: true, withFileTypes: true });
      return found
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(of(vault).length + 1))
        .filter((path) => !path.startsWith("spool/"));
    },
    spool: (vault) => join(of(vault), "spool"),
    stop: async () => undefined,
  };
}

async function bucket(): Promise<Place> {
  const s3 = await startS3();
  const { bucket: name, endpoint, key } = s3;
  return {
    storage: { driver: { kind: "s3", bucket: name, endpoint, region: key.region, pathStyle: true } },
    settings: { s3Credentials: key },
    lying: async () => [...s3.objects.all.keys()],
    spool: (vault) => join(vault.folder, "spool", "shop"),
    stop: () => s3.close(),
  };
}

describe.each([
  ["in a folder", local],
  ["in a bucket", bucket],
] as const)("A refused upload leaves nothing %s", (_, open) => {
  let place: Place;
  let vault: Vault;
  beforeAll(async () => {
    place = await open();
    const { storage, settings } = place;
    vault = await startVault("enabled", [papers], { ...storage, quota }, { settings: { ...settings } });
  });
  afterAll(async () => {
    await vault.stop();
    await place.stop();
  });

  let people = 0;
  /** Sessions end while the sweep's clock moves on. */
  async function somebody(): Promise<string> {
    people += 1;
    return (await vault.signUp(`person${people}@example.com`)).token;
  }

  /** Bytes that count, by who they count for. */
  const counted = async () =>
    (await vault.records("usage")).flatMap(({ id, bytes }) => (bytes === 0 ? [] : [[id, bytes]]));

  const cases = Object.entries(ways).flatMap(([way, send]) =>
    Object.entries(refusals)
      .filter(([, { not = [] }]) => !not.includes(way))
      .map(([why, refusal]): [string, string, Sending, Refusal] => [way, why, send, refusal]),
  );

  it.each(cases)("%s: %s", async (_way, _why, send, refusal) => {
    const token = await somebody();
    const id = await vault.made("papers", {}, "", token);
    const before = await place.lying(vault);
    const used = await counted();
    const status = await send(
      {
        vault,
        token,
        id,
        spooling: async () => (await readdir(place.spool(vault))).length > 0,
      },
      refusal,
    );
    expect(status).toBe(refusal.status);
    await expect.poll(async () => await readdir(place.spool(vault)), { timeout: 30_000 }).toEqual([]);
    // What an upload that may go on holds is counted, and goes with it.
    const open = [...(await vault.records("uploads")), ...(await vault.records("resumable"))].filter(
      ({ state }) => Object(state).kind === "open",
    );
    const named = JSON.stringify(await vault.records("names"));
    const isKept = (key: string) =>
      named.includes(key.split("/").at(-1) ?? key) ||
      open.some((upload) => key.includes(`uploads/${text(upload, "id")}`));
    const left = async () =>
      (await place.lying(vault)).filter((key) => !before.includes(key) && !isKept(key));
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
    expect((await vault.records("blobs")).filter(({ refs }) => refs === 0)).toEqual([]);
    await refusal.after?.({ vault, token, id });
    await vault.swept(2 * 86_400_000);
    expect((await place.lying(vault)).filter((key) => !before.includes(key))).toEqual([]);
    expect(await counted()).toEqual(used);
  });

  it("no more is taken in than a quota leaves, however long a body goes on", async () => {
    const token = await somebody();
    const id = await vault.made("papers", {}, "", token);
    const taken = await vault.uploaded(`papers/${id}/_files/scan`, quota - mib / 2, { token });
    const other = await vault.made("papers", {}, "", token);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(randomBytes(65_536));
      },
    });
    const url = `${vault.url}/v1/shop/main/papers/${other}/_files/scan`;
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: endless,
      duplex: "half",
    });
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: "quota_exceeded" } }]);
    expect(await readdir(place.spool(vault))).toEqual([]);
    expect(sent).toBeLessThan(64 * mib);
    await vault.bring("DELETE", `papers/${id}/_files/scan/${text(taken, "id")}`, { token });
    await vault.swept();
  });
});

describe("Equal bytes that several bring at once", () => {
  let vault: Vault;
  beforeAll(async () => {
    vault = await startVault(
      "disabled",
      [collection("papers", { files: [fileField("scan", { accept: ["text/*"] })] })],
      {
        quota: 900_000,
      },
    );
  });
  afterAll(() => vault.stop());

  it("stay where one of them is taken, and go where none is", async () => {
    const bytes = Buffer.alloc(500_000, "equal ");
    const ids = await Promise.all(Array.from({ length: 6 }, () => vault.made("papers")));
    const chunked = (id: string) =>
      fetch(`${vault.url}/v1/shop/main/papers/${id}/_files/scan`, {
        method: "POST",
        body: new Blob([bytes]).stream(),
        duplex: "half",
      });
    const answers = await Promise.all(ids.map(chunked));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 413, 413, 413, 413, 413]);
    const file = JSON.parse((await answers.find(({ status }) => status === 201)?.text()) ?? "{}");
    expect(await vault.lying()).toEqual([file.sha256]);
    const at = ids[answers.findIndex(({ status }) => status === 201)];
    expect((await vault.bring("GET", `papers/${at}/_files/scan/${file.id}`)).bytes.equals(bytes)).toBe(true);
    // Bytes that were named stay an hour, whoever else is refused meanwhile.
    expect((await vault.bring("DELETE", `papers/${at}/_files/scan/${file.id}`)).status).toBe(204);
    const other = await vault.made("papers");
    const late = await vault.bring("POST", `papers/${other}/_files/scan`, {
      bytes,
      headers: { "if-match": '"1"', "content-digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:` },
    });
    expect(late.status).toBe(422);
    expect(await vault.lying()).toEqual([file.sha256]);
    await vault.swept();
    expect(await vault.lying()).toEqual([]);
  });
});
