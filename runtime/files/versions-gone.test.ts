/** The job of an image that goes away meanwhile ends quietly, at whatever moment that happens. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlobStore } from "../blobs/store.ts";
import { fileLedger } from "../documents/files/ledger.ts";
import { collection } from "../documents/testing/shop.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { JobFailure } from "../jobs/kind.ts";
import type { JobRecord } from "../jobs/records.ts";
import { allowed } from "../rules/index.ts";
import { type Bytes, bytesBelow, picture, settled, type Taken, thumb, wide } from "./testing/pictures.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";
import { imageVersions } from "./version-job.ts";
import { Versions } from "./versions.ts";

const everyone = { create: allowed, read: allowed, update: allowed, delete: allowed };
const pictures = collection("pictures", {
  files: [fileField("cover", { versions: { thumb, wide } })],
  rules: everyone,
});

let vault: Vault;
let bytes: Bytes;
beforeAll(async () => {
  vault = await startVault("disabled", [pictures]);
  bytes = await bytesBelow(vault.folder);
});
afterAll(async () => {
  await bytes.blobs.close();
  await vault.stop();
});

/** The job of an image once more, whose versions are to be made anew. @param before each time the storage is asked */
async function again({ id, file }: Taken, before: (asked: number) => Promise<unknown>): Promise<void> {
  const store = vault.store("shop");
  let asked = 0;
  const told = async () => {
    asked += 1;
    await before(asked);
  };
  const blobs: BlobStore = {
    ...bytes.blobs,
    async size(key) {
      await told();
      return bytes.blobs.size(key);
    },
    async open(key, ...given) {
      await told();
      return bytes.blobs.open(key, ...given);
    },
    async put(key, ...given) {
      await told();
      await bytes.blobs.put(key, ...given);
    },
  };
  const ledger = fileLedger(store, { driver: { kind: "local" } }, () => vault.clock.now());
  const versions = new Versions({ store }, { ...bytes, blobs });
  const kind = imageVersions([pictures], ledger, { versions });
  const realm = {
    definition: {
      name: "shop",
      origins: [],
      appConfig: {},
      effective: { realm: {}, databases: {} },
      collections: [pictures],
    },
    store,
    clock: vault.clock,
    newId: idGenerator(vault.clock),
    log: silent,
  };
  const now = new Date(vault.clock.now()).toISOString();
  const job: JobRecord = {
    id: "j",
    kind: kind.name,
    status: "running",
    target: "collection:main/pictures",
    created_at: now,
    created_by: "service",
    started_at: now,
    finished_at: null,
    due_at: now,
    attempts: 0,
    state: JSON.stringify({ collection: "main.pictures", document: id, field: "cover", file: file["id"] }),
    result: null,
    error: null,
  };
  const step = await kind.step(realm, job, { signal: new AbortController().signal, goesOn: () => true });
  if (typeof step === "function") await store.transaction(step);
}

async function unmade(): Promise<Taken> {
  const taken = await settled(vault);
  for await (const { key } of bytes.blobs.list())
    if (key.startsWith(`${taken.sha256}/`)) await bytes.blobs.remove([key]);
  return taken;
}

const ways: readonly (readonly [string, (taken: Taken) => Promise<unknown>])[] = [
  ["removed", ({ path }) => vault.bring("DELETE", path)],
  [
    "exchanged",
    async ({ id }) =>
      vault.uploaded(`pictures/${id}/_files/cover?replace=true`, 0, { bytes: await picture() }),
  ],
  ["gone with its document", ({ id }) => vault.send("DELETE", `pictures/${id}`)],
  [
    "removed, and its bytes swept",
    async ({ path, sha256 }) => {
      await vault.bring("DELETE", path);
      await bytes.blobs.remove([sha256]);
    },
  ],
];

describe.each(ways)("An image that is %s", (_, remove) => {
  it.each([1, 2, 3, 4, 5, 6])(
    "when the storage is asked for the %i. time: its job ends quietly",
    async (moment) => {
      const taken = await unmade();
      await again(taken, async (asked) => asked === moment && (await remove(taken)));
    },
  );
});

it("of one that is still named and has no bytes, the job has failed, and says so", async () => {
  const taken = await unmade();
  const ended = again(taken, async (asked) => asked === 1 && (await bytes.blobs.remove([taken.sha256])));
  await expect(ended).rejects.toThrow(JobFailure);
});
