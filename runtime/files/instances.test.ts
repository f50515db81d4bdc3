import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realmUsage } from "../documents/files/usage.ts";
import { code, collection, text } from "../documents/testing/shop.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { type Answered, fileField, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", { files: [fileField("scan"), fileField("pages", { maxFiles: 5 })] });

const quota = 20_000;
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Each has connections of its own, as processes have; they have the folder of files in common. */
describeMongo("Instances on one database share a quota", () => {
  const location = testLocation();
  let folder: string;
  let vaults: readonly Vault[];
  let ids: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "realmc-shared-"));
    const start = () =>
      startVault("disabled", [papers], { quota }, { settings: { store: location, data: folder } });
    vaults = await Promise.all([start(), start()]);
    ids = await Promise.all(numbers(30).map((at) => instance(at).made("papers")));
  });
  afterAll(async () => {
    await Promise.all(vaults.map((vault) => vault.stop()));
    await dropTestDatabases(location);
    rmSync(folder, { recursive: true, force: true });
  });

  function instance(at: number): Vault {
    const vault = vaults[at % 2];
    if (vault === undefined) throw new Error("no instance");
    return vault;
  }

  /** To a document, by one of the instances. */
  const upload = (at: number, bytes: Uint8Array, field = "scan?replace=true") =>
    instance(at).bring("POST", `papers/${ids[at % ids.length]}/_files/${field}`, { bytes });

  /** What counts, as each of them reads it, against what the ledger names. */
  async function expectCounted(): Promise<number> {
    const all = (await instance(0).records("names")).flatMap(({ files }) =>
      Array.isArray(files) ? files : [],
    );
    const bytes = all.reduce<number>((sum, file) => sum + Number(Object(file).size), 0);
    for (const vault of vaults) {
      expect(await realmUsage(vault.store("shop"))).toEqual({ bytes, files: all.length });
    }
    return bytes;
  }

  const refusals = (answers: readonly Answered[]) =>
    answers.filter(({ status }) => status !== 201).map((answer) => [answer.status, code(answer)]);

  test("to the byte, by uploads to both at once: as many are taken as it holds, all others are 413", async () => {
    const answers = await Promise.all(numbers(30).map((at) => upload(at, Buffer.alloc(1_000, `${at}`))));
    expect(refusals(answers)).toEqual(numbers(10).map(() => [413, "quota_exceeded"]));
    expect(await expectCounted()).toBe(quota);
    for (const at of [0, 1]) {
      const more = await upload(at, Buffer.from("x"), "pages");
      expect([more.status, code(more)]).toEqual([413, "quota_exceeded"]);
    }
  });

  test("what one of them frees, the other may use, and no more", async () => {
    const named = await instance(0).records("names");
    const { document, files } = named[0] ?? {};
    const file = Array.isArray(files) ? text(Object(files[0]), "id") : "";
    expect((await instance(0).bring("DELETE", `papers/${document}/_files/scan/${file}`)).status).toBe(204);
    expect((await upload(1, Buffer.alloc(600, "a"), "pages")).status).toBe(201);
    expect(refusals([await upload(0, Buffer.alloc(401, "b"), "pages")])).toHaveLength(1);
    expect((await upload(0, Buffer.alloc(400, "b"), "pages")).status).toBe(201);
    expect(await expectCounted()).toBe(quota);
  });

  test("equal bytes, exchanged and removed by both at once, count for what documents name", async () => {
    const same = Buffer.alloc(800, "same");
    for (const round of numbers(3)) {
      const answers = await Promise.all([
        ...numbers(10).map((at) => upload(at + round, same)),
        ...numbers(5).map((at) =>
          instance(at).send("DELETE", `papers/${ids[(at + 15 + round * 5) % ids.length]}`),
        ),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect(await expectCounted()).toBeLessThanOrEqual(quota);
    }
    const blobs = await instance(1).records("blobs");
    const names = await instance(1).records("names");
    for (const { id, refs } of blobs) {
      const naming = names.flatMap(({ files }) => (Array.isArray(files) ? files : []));
      expect(refs, String(id)).toBe(naming.filter((file) => Object(file).sha256 === id).length);
    }
  });
});
