/** Uploads that are sent to an address of their own: ours, or the bucket's. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Server, startS3 } from "../blobs/testing/s3/server.ts";
import { code, collection, text } from "../documents/testing/shop.ts";
import { until } from "../testing/until.ts";
import { ask, begin, claim, pdf, send } from "./testing/direct.ts";
import { picture, sizeOf, thumb } from "./testing/pictures.ts";
import { fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const mebibyte = 1024 * 1024;
const papers = collection("papers", {
  files: [
    fileField("scan", { upload: "direct", maxSize: 4 * mebibyte }),
    fileField("pages", { upload: "direct", maxFiles: 3 }),
    fileField("picture", { upload: "direct", accept: ["image/*"] }),
    fileField("cover", { upload: "direct", accept: ["image/*"], versions: { thumb } }),
    fileField("proxied"),
  ],
  softDelete: {},
});

let s3: S3Server;
const vaults = new Map<string, Vault>();
beforeAll(async () => {
  s3 = await startS3();
  const { bucket, endpoint, key } = s3;
  const driver = { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true } as const;
  vaults.set("local", await startVault("disabled", [papers], { quota: 64 * mebibyte }));
  vaults.set(
    "s3",
    await startVault(
      "disabled",
      [papers],
      { driver, quota: 64 * mebibyte },
      { settings: { s3Credentials: key } },
    ),
  );
});
afterAll(async () => {
  for (const vault of vaults.values()) await vault.stop();
  await s3.close();
});

const vaultOf = (driver: string): Vault => {
  const vault = vaults.get(driver);
  if (vault === undefined) throw new Error(`no vault ${driver}`);
  return vault;
};

/** What lies where uploads lie until they are completed. */
async function waiting(driver: string, upload: string): Promise<number> {
  if (driver === "s3") return [...s3.objects.all.keys()].filter((key) => key.includes(upload)).length;
  return (await vaultOf(driver).lying()).filter((name) => name === upload).length;
}

describe.each(["local", "s3"])("A direct upload, %s", (driver) => {
  it("is begun with an address of 15 minutes, sent there, and completed: 201 with the file object", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = pdf(3 * mebibyte);
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(bytes));
    const expires_at = new Date(vault.clock.now() + 15 * 60_000).toISOString();
    expect(started.body).toMatchObject({ method: "PUT", expires_at });
    expect(await send(vault, started, bytes)).toBeLessThan(300);
    const done = await vault.bring("POST", started.path);
    const file = { name: "Bill.pdf", type: "application/pdf", size: bytes.length, sha256: sha256(bytes) };
    expect(done).toMatchObject({ status: 201, body: file });
    expect(done.headers.get("etag")).toBe('"2"');
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({
      scan: done.body,
      _meta: { version: 2 },
    });
    const got = await vault.bring("GET", done.headers.get("location") ?? "");
    expect(got.bytes.equals(bytes)).toBe(true);
    expect(await waiting(driver, started.upload)).toBe(0);
  });

  it("completed again, and by several at once, is the same 201 and one file", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = pdf(100);
    const started = await begin(vault, `papers/${id}/_files/pages`, claim(bytes));
    await send(vault, started, bytes);
    const all = await Promise.all([1, 2, 3, 4].map(() => vault.bring("POST", started.path)));
    const again = await vault.bring("POST", started.path);
    expect(again.status).toBe(201);
    for (const each of all) {
      expect([each.status, each.body]).toEqual([201, again.body]);
      expect(each.headers.get("location")).toBe(again.headers.get("location"));
    }
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({
      pages: [again.body],
      _meta: { version: 2 },
    });
  });

  it("completed before anything was sent is 409 file_not_uploaded, and may be completed later", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = pdf(100);
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(bytes));
    expect(code(await vault.bring("POST", started.path))).toBe("file_not_uploaded");
    await send(vault, started, bytes);
    expect((await vault.bring("POST", started.path)).status).toBe(201);
  });

  it("other bytes than those announced are refused where they are sent, and nothing is left of them", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = pdf(100);
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(bytes));
    expect(await send(vault, started, pdf(100))).toBeGreaterThanOrEqual(400);
    expect(await send(vault, started, pdf(99))).toBeGreaterThanOrEqual(400);
    expect(await send(vault, started, pdf(101))).toBeGreaterThanOrEqual(400);
    expect(code(await vault.bring("POST", started.path))).toBe("file_not_uploaded");
    expect(await waiting(driver, started.upload)).toBe(0);
  });

  it("bytes that contradict the type are 415, and of a type that is not taken is nothing begun; both leave nothing", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const refused = await ask(vault, `papers/${id}/_files/picture`, claim(pdf(50)));
    expect([refused.status, code(refused)]).toEqual([415, "unsupported_file_type"]);
    const bytes = pdf(60);
    const started = await begin(vault, `papers/${id}/_files/picture`, claim(bytes, { type: "image/png" }));
    await send(vault, started, bytes);
    const answer = await vault.bring("POST", started.path);
    expect([answer.status, code(answer)]).toEqual([415, "unsupported_file_type"]);
    expect(await waiting(driver, started.upload)).toBe(0);
    expect((await vault.send("GET", `papers/${id}`)).body["picture"]).toBeUndefined();
  });

  it("images are stored without metadata, as by the proxy", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const { default: sharp } = await import("sharp");
    const bytes = await sharp({ create: { width: 20, height: 10, channels: 3, background: "red" } })
      .withExif({ IFD0: { Copyright: "somebody" } })
      .jpeg()
      .toBuffer();
    const started = await begin(vault, `papers/${id}/_files/picture`, claim(bytes, { type: "image/jpeg" }));
    await send(vault, started, bytes);
    const done = await vault.bring("POST", started.path);
    expect(done).toMatchObject({ status: 201, body: { type: "image/jpeg", width: 20, height: 10 } });
    const got = await vault.bring("GET", done.headers.get("location") ?? "");
    expect(got.bytes.includes("somebody")).toBe(false);
    expect(sha256(got.bytes)).toBe(done.body["sha256"]);
  });

  it("images get the versions of their field, as by the proxy", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const bytes = await picture();
    const started = await begin(vault, `papers/${id}/_files/cover`, claim(bytes, { type: "image/png" }));
    await send(vault, started, bytes);
    const done = await vault.bring("POST", started.path);
    expect(done).toMatchObject({ status: 201, body: { versions: { thumb: "pending" } } });
    const ready = { cover: { ...done.body, versions: { thumb: "ready" } }, _meta: { version: 2 } };
    await until(async () => expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject(ready));
    const made = await vault.bring("GET", `${done.headers.get("location")}?version=thumb`);
    expect(await sizeOf(made.bytes)).toEqual({ format: "png", width: 20, height: 20 });
    // What was answered is answered once more, whatever has become of it.
    expect((await vault.bring("POST", started.path)).body).toEqual(done.body);
  });

  it("a full field, and a quota, refuse it at both ends; replace=true exchanges", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const [one, other] = [pdf(70), pdf(80)];
    const first = await begin(vault, `papers/${id}/_files/scan`, claim(one));
    const second = await begin(vault, `papers/${id}/_files/scan`, claim(other));
    await send(vault, first, one);
    await send(vault, second, other);
    expect((await vault.bring("POST", first.path)).status).toBe(201);
    const late = await vault.bring("POST", second.path);
    expect([late.status, code(late)]).toEqual([409, "too_many_files"]);
    expect(code(await ask(vault, `papers/${id}/_files/scan`, claim(other)))).toBe("too_many_files");
    const exchange = await begin(vault, `papers/${id}/_files/scan`, claim(other), { query: "?replace=true" });
    await send(vault, exchange, other);
    const { body } = await vault.bring("POST", exchange.path);
    expect((await vault.send("GET", `papers/${id}`)).body["scan"]).toEqual(body);
  });

  it("of another document, field or id is 404", async () => {
    const vault = vaultOf(driver);
    const [id, other] = [await vault.made("papers"), await vault.made("papers")];
    const bytes = pdf(90);
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(bytes));
    await send(vault, started, bytes);
    const elsewhere = [
      started.path.replace(id, other),
      started.path.replace("scan", "pages"),
      started.path.replace(started.upload, id),
      started.path.replace(started.upload, "x"),
    ];
    for (const path of elsewhere) {
      const answer = await vault.bring("POST", path);
      expect([answer.status, code(answer)]).toEqual([404, "not_found"]);
    }
    expect((await vault.bring("POST", started.path)).status).toBe(201);
  });

  it("expired is 404", async () => {
    const vault = vaultOf(driver);
    const id = await vault.made("papers");
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(pdf(90)));
    // A bucket does not tell when bytes came: there is an hour more to complete them.
    vault.clock.advance(15 * 60_000 + (driver === "s3" ? 3_600_000 : 0));
    const answer = await vault.bring("POST", started.path);
    expect([answer.status, code(answer)]).toEqual([404, "not_found"]);
  });
});

describe("What begins a direct upload", () => {
  it("is 409 upload_mode_mismatch in a field of another mode", async () => {
    const vault = vaultOf("local");
    const answer = await ask(vault, `papers/${await vault.made("papers")}/_files/proxied`, claim(pdf(50)));
    expect([answer.status, code(answer)]).toEqual([409, "upload_mode_mismatch"]);
  });

  it.each([
    ["size", { size: -1 }],
    ["size", { size: 1.5 }],
    ["sha256", { sha256: "ABC" }],
    ["type", { type: "pdf" }],
    ["name", { name: "a\u0000b" }],
    ["name", { name: "a\r\nb" }],
    ["more", { more: 1 }],
  ])("with a wrong %s is refused with its path", async (path, wrong) => {
    const vault = vaultOf("local");
    const answer = await ask(
      vault,
      `papers/${await vault.made("papers")}/_files/scan`,
      claim(pdf(50), wrong),
    );
    expect([400, 422]).toContain(answer.status);
    if (!answer.bytes.includes("invalid_json")) expect(answer.bytes.toString()).toContain(`"path":"${path}"`);
  });

  it("of more than max_size is 413, of no document 404", async () => {
    const vault = vaultOf("local");
    const id = await vault.made("papers");
    expect(code(await ask(vault, `papers/${id}/_files/scan`, claim(pdf(50), { size: 5 * mebibyte })))).toBe(
      "payload_too_large",
    );
    expect((await ask(vault, `papers/${"0".repeat(20)}/_files/scan`, claim(pdf(50)))).status).toBe(404);
  });
});

describe("An address of ours", () => {
  it("shows nothing, and takes nothing when its time is over: 403 invalid_file_link", async () => {
    const vault = vaultOf("local");
    const bytes = pdf(50);
    const { body } = await begin(vault, `papers/${await vault.made("papers")}/_files/scan`, claim(bytes));
    const url = text(body, "url");
    expect(code(await vault.bring("GET", url))).toBe("invalid_file_link");
    vault.clock.advance(15 * 60_000);
    expect(code(await vault.bring("PUT", url, { bytes }))).toBe("invalid_file_link");
  });

  it("is judged at the first byte: what was begun in time may be completed after it", async () => {
    const vault = vaultOf("local");
    const id = await vault.made("papers");
    const bytes = pdf(300_000);
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(bytes));
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    async function* slowly() {
      yield bytes.subarray(0, 200_000);
      await gate;
      yield bytes.subarray(200_000);
    }
    const before = (await vault.lying()).length;
    const sending = fetch(new URL(text(started.body, "url"), vault.url), {
      method: "PUT",
      headers: { "content-type": "application/pdf" },
      body: ReadableStream.from(slowly()),
      duplex: "half",
    });
    // It is in the spool.
    await expect.poll(async () => (await vault.lying()).length).toBeGreaterThan(before);
    vault.clock.advance(16 * 60_000);
    go();
    expect((await sending).status).toBe(204);
    expect((await vault.bring("POST", started.path)).status).toBe(201);
  });

  it("uploads that nobody completes are swept with their bytes, and forgotten a day later", async () => {
    const vault = vaultOf("local");
    const bytes = pdf(50);
    const started = await begin(vault, `papers/${await vault.made("papers")}/_files/scan`, claim(bytes));
    await send(vault, started, bytes);
    expect(await waiting("local", started.upload)).toBe(1);
    await vault.swept();
    expect(await waiting("local", started.upload)).toBe(0);
    const kept = async () => (await vault.records("uploads")).some(({ id }) => id === started.upload);
    expect(await kept()).toBe(true);
    await vault.swept(86_400_000);
    expect(await kept()).toBe(false);
    expect((await vault.bring("POST", started.path)).status).toBe(404);
  });
});

describe("?redirect=true on a download", () => {
  it("sends to the bucket, which gives the same bytes under the same name", async () => {
    const vault = vaultOf("s3");
    const id = await vault.made("papers");
    const bytes = pdf(500);
    const started = await begin(vault, `papers/${id}/_files/scan`, claim(bytes));
    await send(vault, started, bytes);
    const { headers } = await vault.bring("POST", started.path);
    const sent = await vault.bring("GET", `${headers.get("location")}?redirect=true`);
    expect([sent.status, sent.headers.get("cache-control")]).toEqual([302, "private, no-store"]);
    const address = sent.headers.get("location") ?? "";
    expect(address.startsWith(s3.endpoint)).toBe(true);
    const got = await fetch(address);
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
    expect(got.headers.get("content-disposition")).toContain('filename="Bill.pdf"');
    const head = await vault.bring("HEAD", `${headers.get("location")}?redirect=true`);
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "500"]);
  });

  it("answers the bytes themselves where they are in a folder; and refuses other values", async () => {
    const vault = vaultOf("local");
    const file = await vault.uploaded(`papers/${await vault.made("papers")}/_files/proxied`);
    expect(file["size"]).toBe(100);
    const id = await vault.made("papers");
    const { headers } = await vault.bring("POST", `papers/${id}/_files/proxied`, { bytes: "abc" });
    const location = headers.get("location") ?? "";
    expect((await vault.bring("GET", `${location}?redirect=true`)).bytes.toString()).toBe("abc");
    expect(code(await vault.bring("GET", `${location}?redirect=1`))).toBe("invalid_query");
  });
});
