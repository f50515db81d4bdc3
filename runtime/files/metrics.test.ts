/** What `/metrics` tells of files. */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collection, text } from "../documents/testing/shop.ts";
import { untilHolds } from "../testing/until.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", {
  files: [fileField("scan"), fileField("photo", { accept: ["image/*"] })],
});

let vault: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [papers], { quota: 500_000 }, { settings: { metrics: "on" } });
});
afterAll(() => vault.stop());

/** The series whose names begin so, without what is the same of all. */
async function told(prefix: string): Promise<Readonly<Record<string, number>>> {
  const { bytes } = await vault.bring("GET", "/metrics");
  const lines = bytes.toString().split("\n");
  const own = lines.filter((line) => line.startsWith(`svc_file_${prefix}`));
  return Object.fromEntries(
    own.map((line) => {
      const [series = "", figure] = line.split(" ");
      return [
        series
          .replace("svc_file_", "")
          .replace(/realm="shop",?/, "")
          .replace("{}", ""),
        Number(figure),
      ];
    }),
  );
}

it("the bytes and files that documents name now, by driver", async () => {
  const before = await told("bytes");
  const id = await vault.made("papers");
  const file = await vault.uploaded(`papers/${id}/_files/scan`, 1_000);
  const bytes = 'bytes{driver="local"}';
  expect(await told("bytes")).toEqual({ [bytes]: (before[bytes] ?? 0) + 1_000 });
  expect(await told("count")).toEqual({ 'count{driver="local"}': 1 });
  await vault.bring("DELETE", `papers/${id}/_files/scan/${file["id"]}`);
  expect(await told("bytes")).toEqual(before);
});

it("uploads by what came of them, and why they were not stored", async () => {
  const id = await vault.made("papers");
  await vault.uploaded(`papers/${id}/_files/scan`, 10);
  const statuses = [];
  for (const [path, bytes] of [
    [`papers/${id}/_files/scan`, "again"],
    [`papers/${id}/_files/photo`, "no picture"],
    [`papers/${id}/_files/scan?replace=true`, Buffer.alloc(2_000_000)],
    [`papers/${await vault.made("papers")}/_files/scan`, Buffer.alloc(600_000)],
  ] as const)
    statuses.push((await vault.bring("POST", path, { bytes })).status);
  expect(statuses).toEqual([409, 415, 413, 413]);
  expect(await told("failures")).toEqual({
    'failures_total{operation="upload",reason="too_many_files"}': 1,
    'failures_total{operation="upload",reason="unsupported_file_type"}': 1,
    'failures_total{operation="upload",reason="payload_too_large"}': 1,
    'failures_total{operation="upload",reason="quota_exceeded"}': 1,
  });
  expect(await told("uploads")).toMatchObject({ 'uploads_total{outcome="refused"}': 4 });
});

it("uploads whose clients go away have failed, as cut off", async () => {
  const id = await vault.made("papers");
  const { hostname, port } = new URL(vault.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    [`POST /v1/shop/main/papers/${id}/_files/scan HTTP/1.1`, "Host: x", "Content-Length: 90000"]
      .concat(["Expect: 100-continue", "", ""])
      .join("\r\n"),
  );
  // The server is about to read.
  await once(socket, "data");
  socket.destroy();
  const cut = 'failures_total{operation="upload",reason="cut_off"}';
  await untilHolds(async () => (await told("failures"))[cut] === 1);
  expect(await told("uploads")).toMatchObject({ 'uploads_total{outcome="failed"}': 1 });
});

it("downloads, the bytes that were sent, and why others were not", async () => {
  const id = await vault.made("papers");
  const path = `papers/${id}/_files/scan`;
  const file = await vault.uploaded(path, 200_000);
  const own = `${path}/${file["id"]}`;
  for (const headers of [{}, { range: "bytes=0-99" }, { "if-none-match": `"${file["sha256"]}"` }])
    await vault.bring("GET", own, { headers });
  await vault.bring("HEAD", own);
  const totals = async () => [
    (await told("downloads"))["downloads_total"],
    (await told("sent"))["sent_bytes_total"],
  ];
  // A stream is over when its last byte is given away, which is after that has come.
  await untilHolds(async () => (await totals())[0] === 2);
  expect(await totals()).toEqual([2, 200_100]);
  const hash = text(file, "sha256");
  await rm(join(vault.folder, "files", "shop", hash.slice(0, 2), hash));
  expect((await vault.bring("GET", own)).status).toBe(404);
  expect(await told("failures")).toMatchObject({
    'failures_total{operation="download",reason="file_missing"}': 1,
  });
  expect(await totals()).toEqual([2, 200_100]);
});
