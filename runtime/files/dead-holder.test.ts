/** On MongoDB a transaction of a process that has died holds what it wrote for up to a minute: what others get meanwhile. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileLedger } from "../documents/files/ledger.ts";
import { collections } from "../documents/files/records.ts";
import { hold, realmUsage, usedOf } from "../documents/files/usage.ts";
import { code, collection } from "../documents/testing/shop.ts";
import type { StorageDefinition } from "../realm/files.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { ask, claim, pdf } from "./testing/direct.ts";
import { fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", {
  files: [
    fileField("scan"),
    fileField("pages", { maxFiles: 5 }),
    fileField("sent", { upload: "direct" }),
    fileField("tus", { upload: "resumable" }),
  ],
});
const quota = { quota: 50_000_000 };
/** Of which each record has less than a file takes. */
const tightQuota = 12_000;

describeMongo("While a process that has died holds what it wrote", () => {
  const locations = [testLocation(), testLocation(), testLocation()];
  let folder: string;
  /** Without a quota and with one, two instances of each. */
  let free: readonly [Vault, Vault];
  let bound: readonly [Vault, Vault];
  let tight: readonly [Vault, Vault];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "realmc-dead-"));
    const pair = async (at: number, storage: Partial<StorageDefinition>) => {
      const store = locations[at] ?? testLocation();
      const start = () =>
        startVault("disabled", [papers], storage, {
          settings: { store, data: join(folder, `${at}`), queryTime: 1_000 },
        });
      return [await start(), await start()] as const;
    };
    free = await pair(0, {});
    bound = await pair(1, quota);
    tight = await pair(2, { quota: tightQuota });
  });
  afterAll(async () => {
    await Promise.all([...free, ...bound, ...tight].map((vault) => vault.stop()));
    for (const location of locations) await dropTestDatabases(location);
    rmSync(folder, { recursive: true, force: true });
  });

  /** What others do while a transaction has written, and has not ended. */
  async function held<T>(
    vault: Vault,
    write: (transaction: Transaction) => Promise<unknown>,
    work: () => Promise<T>,
  ) {
    let release = () => {};
    let answer: Promise<T> | undefined;
    const given = vault
      .store("shop")
      .transaction(async (transaction) => {
        await write(transaction);
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        answer ??= work().finally(() => release());
        await released;
        throw new Error("it never ends");
      })
      .catch(() => undefined);
    await given;
    if (answer === undefined) throw new Error("nothing was held");
    return answer;
  }

  /** What an upload writes, of another document and other bytes. */
  const uploading = (vault: Vault, storage: StorageDefinition) => async (transaction: Transaction) => {
    const store = vault.store("shop");
    const bytes = { id: "f", field: "scan", sha256: sha256("of the dead"), size: 11 };
    const known = await transaction.collection(collections.blobs).get(bytes.sha256, "live");
    const ledger = fileLedger(store, storage, () => vault.clock.now());
    const added = known === undefined ? [] : [bytes];
    await ledger.rename(transaction, "main.papers", "dead", '{"_meta":{}}', { added, removed: [] });
  };
  /** Its bytes are announced, as they are before a document names them. */
  async function announced(vault: Vault): Promise<void> {
    const id = await vault.made("papers");
    await vault.uploaded(`papers/${id}/_files/scan`, 0, { bytes: "of the dead" });
  }
  const upload = async (vault: Vault, bytes?: Uint8Array) => {
    const id = await vault.made("papers");
    return vault.bring("POST", `papers/${id}/_files/scan`, { bytes: bytes ?? pdf(100) });
  };
  const local = { driver: { kind: "local" } } as const;

  test("without a quota every upload, removal and deletion of others is done", async () => {
    const [dead, alive] = free;
    await announced(dead);
    const before = await realmUsage(alive.store("shop"));
    const statuses = await held(dead, uploading(dead, local), async () => {
      const answers = [];
      for (let n = 0; n < 30; n += 1) {
        const id = await alive.made("papers");
        const sent = await alive.bring("POST", `papers/${id}/_files/scan`, { bytes: pdf(100 + n) });
        answers.push(sent.status);
        if (n % 3 === 1)
          answers.push((await alive.bring("DELETE", `papers/${id}/_files/scan/${sent.body["id"]}`)).status);
        if (n % 3 === 2) answers.push((await alive.send("DELETE", `papers/${id}`)).status);
        answers.push(
          (await ask(alive, `papers/${await alive.made("papers")}/_files/sent`, claim(pdf(10)))).status,
        );
      }
      return answers;
    });
    expect(statuses.filter((status) => ![201, 204].includes(status))).toEqual([]);
    const after = await realmUsage(alive.store("shop"));
    expect(after.files - before.files).toBe(10);
  });

  test.each([
    ["quota", () => bound],
    ["quota that is nearly used", () => tight],
  ] as const)(
    "with a %s every upload, removal and deletion of others is done, whichever way they come",
    async (_, of) => {
      const [dead, alive] = of();
      await announced(dead);
      const before = await realmUsage(alive.store("shop"));
      const statuses = await held(dead, uploading(dead, { ...local, ...quota }), async () => {
        const answers = [];
        for (let n = 0; n < 10; n += 1) {
          const id = await alive.made("papers");
          const sent = await alive.bring("POST", `papers/${id}/_files/scan`, { bytes: pdf(100 + n) });
          answers.push(sent.status);
          if (n % 2 === 0)
            answers.push((await alive.bring("DELETE", `papers/${id}/_files/scan/${sent.body["id"]}`)).status);
          const direct = await ask(
            alive,
            `papers/${await alive.made("papers")}/_files/sent`,
            claim(pdf(10 + n)),
          );
          answers.push(direct.status);
          const path = `papers/${await alive.made("papers")}/_files/tus/_tus`;
          const headers = { "tus-resumable": "1.0.0", "upload-length": "9" };
          answers.push((await alive.bring("POST", path, { headers })).status);
          const form = new FormData();
          form.append("document", JSON.stringify({ title: "a" }));
          form.append("scan", new Blob([new Uint8Array(pdf(200 + n))], { type: "application/pdf" }), "a.pdf");
          answers.push(
            (await fetch(`${alive.url}/v1/shop/main/papers/_form`, { method: "POST", body: form })).status,
          );
        }
        return answers;
      });
      expect(statuses.filter((status) => ![201, 204].includes(status))).toEqual([]);
      const after = await realmUsage(alive.store("shop"));
      expect(after.files - before.files).toBe(15);
    },
  );

  test("a file that needs what the dead one holds is 503 with Retry-After, and nothing of it is left", async () => {
    const [dead, alive] = tight;
    await announced(dead);
    const { bytes, open } = await usedOf(alive.store("shop"), "realm");
    const left = tightQuota - bytes - open.bytes;
    const before = await alive.lying();
    const answer = await held(dead, uploading(dead, { ...local, quota: tightQuota }), () =>
      upload(alive, pdf(left)),
    );
    expect([answer.status, code(answer), answer.headers.get("retry-after")]).toEqual([
      503,
      "unavailable",
      "15",
    ]);
    expect(await alive.lying()).toEqual(before);
    expect(code(await upload(alive, pdf(left + 1)))).toBe("quota_exceeded");
    expect((await upload(alive, pdf(left))).status).toBe(201);
    expect(code(await upload(alive, pdf(60)))).toBe("quota_exceeded");
  });

  test.each<[string, (id: string) => (transaction: Transaction) => Promise<unknown>]>([
    [
      "the field where it begins an upload",
      (id) => (transaction) =>
        hold(
          transaction,
          { quotas: {}, store: free[0].store("shop") },
          { org: undefined, caller: "dead", field: `main.papers/${id}/sent`, most: 5, bytes: 1 },
        ),
    ],
    [
      "the document",
      (id) => (transaction) =>
        transaction
          .collection("main.papers")
          .modify(id, "live", (found) =>
            found === undefined
              ? { kind: "keep" }
              : { kind: "replace", document: { ...found, version: found.version + 1, createdAt: 0 } },
          ),
    ],
  ])("who wants %s has to wait: 503 with Retry-After, and others have not", async (what, write) => {
    const [dead, alive] = free;
    const [id, other] = [await alive.made("papers"), await alive.made("papers")];
    const want = (of: string) =>
      what === "the document"
        ? alive.bring("POST", `papers/${of}/_files/scan`, { bytes: pdf(50) })
        : ask(alive, `papers/${of}/_files/sent`, claim(pdf(50)));
    const [waits, goes] = await held(dead, write(id), () => Promise.all([want(id), want(other)]));
    expect([waits.status, code(waits), waits.headers.get("retry-after")]).toEqual([503, "unavailable", "15"]);
    expect(goes.status).toBe(201);
    expect((await want(id)).status).toBe(201);
  });

  test("what was used without a quota counts once there is one", async () => {
    const [first] = free;
    const used = await realmUsage(first.store("shop"));
    const start = (of: number) =>
      startVault(
        "disabled",
        [papers],
        { quota: used.bytes + of },
        {
          settings: { store: locations[0] ?? testLocation(), data: join(folder, "0") },
        },
      );
    const full = await start(99);
    try {
      expect(code(await upload(full))).toBe("quota_exceeded");
      expect((await upload(full, pdf(99))).status).toBe(201);
      expect(await realmUsage(full.store("shop"))).toMatchObject({ bytes: used.bytes + 99 });
      expect(code(await upload(full, pdf(60)))).toBe("quota_exceeded");
    } finally {
      await full.stop();
    }
  });
});
