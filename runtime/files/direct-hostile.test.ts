/** What clients do wrong with the addresses that take the bytes of uploads, and with what they complete. */
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Server, startS3 } from "../blobs/testing/s3/server.ts";
import { code, collection, fields, text } from "../documents/testing/shop.ts";
import { eq } from "../filter/algebra.ts";
import type { ReadRule } from "../realm/rule.ts";
import { allowed } from "../rules/index.ts";
import { untilHolds } from "../testing/until.ts";
import { ask, type Begun, begin, claim, pdf, send } from "./testing/direct.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const own: ReadRule = {
  filter: ({ user }) => eq(fields.owner, user?.email),
  check: ({ user }, document) => document["owner"] === user?.email,
};
const papers = collection("papers", {
  files: [
    fileField("scan", { upload: "direct" }),
    fileField("picture", { upload: "direct", accept: ["image/*"] }),
    fileField("pages", { upload: "direct", maxFiles: 10 }),
  ],
  rules: { create: allowed, read: own, update: own, delete: own },
  softDelete: {},
});
const owner = "ann@example.com";

let s3: S3Server;
const vaults = new Map<string, { readonly vault: Vault; readonly token: string }>();
beforeAll(async () => {
  s3 = await startS3();
  const { bucket, endpoint, key } = s3;
  const driver = { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true } as const;
  const settings = { s3Credentials: key };
  for (const [name, vault] of [
    ["local", await startVault("enabled", [papers])],
    ["s3", await startVault("enabled", [papers], { driver }, { settings })],
  ] as const)
    vaults.set(name, { vault, token: (await vault.signUp(owner)).token });
});
afterAll(async () => {
  for (const { vault } of vaults.values()) await vault.stop();
  await s3.close();
});

const of = (driver: string) => {
  const found = vaults.get(driver);
  if (found === undefined) throw new Error(`no vault ${driver}`);
  const { vault, token } = found;
  return {
    ...found,
    paper: () => vault.made("papers", { owner }, "", token),
    start: (at: string, bytes: Uint8Array, more = {}) => begin(vault, at, claim(bytes, more), { token }),
    complete: async ({ path }: Begun) => {
      const answer = await vault.bring("POST", path, { token });
      return { ...answer, outcome: answer.status < 400 ? [answer.status] : [answer.status, code(answer)] };
    },
  };
};

/** Other bytes stand where those of the upload were sent to. */
async function overwritten(driver: string, { upload }: Begun, bytes: Buffer): Promise<void> {
  if (driver === "s3") {
    const key = [...s3.objects.all.keys()].find((each) => each.endsWith(upload));
    if (key === undefined) throw new Error("nothing was sent");
    s3.objects.put(key, bytes, "application/pdf");
    return;
  }
  const { folder } = of(driver).vault;
  const all = await readdir(join(folder, "files"), { recursive: true, withFileTypes: true });
  const found = all.find(({ name }) => name === upload);
  if (found === undefined) throw new Error("nothing was sent");
  await writeFile(join(found.parentPath, found.name), bytes);
}

async function lying(driver: string, { upload }: Begun): Promise<number> {
  const names = driver === "s3" ? [...s3.objects.all.keys()] : await of(driver).vault.lying();
  return names.filter((name) => name.endsWith(upload)).length;
}

describe.each(["local", "s3"])("A completion, %s", (driver) => {
  it.each([
    ["size", "another size", (bytes: Buffer) => bytes.subarray(1)],
    ["sha256", "another SHA-256", (bytes: Buffer) => Buffer.from(bytes).fill("x", 20, 21)],
  ])(
    "of bytes with another %s: 422 upload_mismatch that says so, and nothing is left",
    async (path, _, other) => {
      const { vault, paper, start, complete } = of(driver);
      const id = await paper();
      const bytes = pdf(100).fill("y", 20, 21);
      const started = await start(`papers/${id}/_files/scan`, bytes);
      await send(vault, started, bytes);
      await overwritten(driver, started, other(bytes));
      const refused = await complete(started);
      expect(refused.outcome).toEqual([422, "upload_mismatch"]);
      expect(refused.body["error"]).toMatchObject({ details: [{ path }] });
      expect(await lying(driver, started)).toBe(0);
      // Sent once more as they were announced they are taken.
      await send(vault, started, bytes);
      expect((await complete(started)).status).toBe(201);
    },
  );

  it("of an image that is damaged: 422 invalid_image, and nothing is left", async () => {
    const { vault, token, paper, start, complete } = of(driver);
    const id = await paper();
    const { default: sharp } = await import("sharp");
    const whole = await sharp({ create: { width: 400, height: 400, channels: 3, background: "red" } })
      .composite([
        { input: Buffer.from('<svg width="400" height="400"><circle r="90" cx="99" cy="99"/></svg>') },
      ])
      .png()
      .toBuffer();
    const bytes = whole.subarray(0, whole.length / 2);
    const started = await start(`papers/${id}/_files/picture`, bytes, { type: "image/png" });
    await send(vault, started, bytes);
    expect((await complete(started)).outcome).toEqual([422, "invalid_image"]);
    expect(await lying(driver, started)).toBe(0);
    expect((await vault.send("GET", `papers/${id}`, { token })).body).not.toHaveProperty("picture");
  });

  it("of a document that is deleted, in the trash, or hidden by now: 404, as its restoration lets it go on", async () => {
    const { vault, token, paper, start, complete } = of(driver);
    const bytes = pdf(50);
    const sent = async (id: string) => {
      const started = await start(`papers/${id}/_files/scan`, bytes);
      await send(vault, started, bytes);
      return started;
    };
    const [gone, trashed, hidden] = [await paper(), await paper(), await paper()];
    const uploads = { gone: await sent(gone), trashed: await sent(trashed), hidden: await sent(hidden) };
    const key = await vault.key({ name: `${driver} operator`, admin: true });
    await vault.send("DELETE", `papers/${gone}?purge=true`, { token: key });
    await vault.send("DELETE", `papers/${trashed}`, { token });
    await vault.send("PUT", `papers/${hidden}`, {
      body: { title: "a", owner: "eve@example.com" },
      token: key,
    });
    for (const started of Object.values(uploads))
      expect((await complete(started)).outcome).toEqual([404, "not_found"]);
    await vault.send("POST", `papers/${trashed}/restore`, { token: key });
    expect((await complete(uploads.trashed)).status).toBe(201);
    // What was answered is answered nobody who may no longer see the document.
    await vault.send("DELETE", `papers/${trashed}`, { token });
    expect((await complete(uploads.trashed)).outcome).toEqual([404, "not_found"]);
  });

  it("with If-Match of another version: 412, and the upload is open still", async () => {
    const { vault, token, paper, start } = of(driver);
    const id = await paper();
    const bytes = pdf(50);
    const started = await start(`papers/${id}/_files/scan`, bytes);
    await send(vault, started, bytes);
    const refused = await vault.bring("POST", started.path, { token, headers: { "if-match": '"7"' } });
    expect([refused.status, code(refused)]).toEqual([412, "version_mismatch"]);
    const done = await vault.bring("POST", started.path, { token, headers: { "if-match": '"1"' } });
    expect(done.status).toBe(201);
  });
});

/** A connection on which bytes begin to be sent to an address. */
async function sending(vault: Vault, { body }: Begun, ...headers: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(vault.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => undefined);
  socket.write([`PUT ${text(body, "url")} HTTP/1.1`, "Host: shop", ...headers, "", ""].join("\r\n"));
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  socket.setEncoding("utf8");
  const [first] = await once(socket, "data");
  socket.destroy();
  return /^HTTP\/1\.1 (\d+)/.exec(String(first))?.[1] ?? "";
}

describe("An address of ours", () => {
  const local = () => of("local");
  const begun = async (bytes: Uint8Array) => {
    const { paper, start } = local();
    return start(`papers/${await paper()}/_files/scan`, bytes);
  };
  /** In the spool, as many as there are. */
  const pending = async () =>
    (await local().vault.lying()).filter((name) => /^[0-9a-f]{24}$/.test(name)).length;

  it("with any bit flipped, or cut, takes nothing: 403 invalid_file_link", async () => {
    const { vault, complete } = local();
    const bytes = pdf(50);
    const started = await begun(bytes);
    const url = text(started.body, "url");
    const at = url.lastIndexOf("/") + 1;
    const signed = Buffer.from(url.slice(at), "base64url");
    const flips = Array.from({ length: signed.length * 8 }, (_, bit) => {
      const changed = Buffer.from(signed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return `${url.slice(0, at)}${changed.toString("base64url")}`;
    });
    for (const other of [...flips, `${url}A`, url.slice(0, -1), `${url.slice(0, at)}x`]) {
      const answer = await vault.bring("PUT", other, { bytes });
      expect([answer.status, code(answer)], other).toEqual([403, "invalid_file_link"]);
    }
    expect((await complete(started)).outcome).toEqual([409, "file_not_uploaded"]);
    expect(await lying("local", started)).toBe(0);
  });

  it.each([
    ["fewer", "Content-Length: 99"],
    ["more", "Content-Length: 101"],
  ])("refuses %s bytes than were announced before they come: 422", async (_, length) => {
    const socket = await sending(local().vault, await begun(pdf(100)), length, "Connection: close");
    expect(await answerOf(socket)).toBe("422");
  });

  it("refuses more bytes than were announced as they come, and fewer when they end: 422, and nothing is left", async () => {
    const { vault } = local();
    for (const pieces of [5, 1]) {
      const started = await begun(pdf(200_000));
      const socket = await sending(vault, started, "Transfer-Encoding: chunked");
      for (let piece = 0; piece < pieces; piece += 1) socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`);
      if (pieces === 1) socket.write("0\r\n\r\n");
      expect(await answerOf(socket)).toBe("422");
      expect(await lying("local", started)).toBe(0);
    }
    await untilHolds(async () => (await pending()) === 0);
  });

  it("keeps nothing of what breaks off, and takes it once more", async () => {
    const { vault, complete } = local();
    const bytes = pdf(300_000);
    const started = await begun(bytes);
    const socket = await sending(vault, started, "Content-Length: 300000");
    socket.write(bytes.subarray(0, 200_000));
    await untilHolds(async () => (await pending()) === 1);
    socket.destroy();
    await untilHolds(async () => (await pending()) === 0);
    expect((await complete(started)).outcome).toEqual([409, "file_not_uploaded"]);
    expect([await send(vault, started, bytes), await send(vault, started, bytes)]).toEqual([204, 204]);
    expect((await complete(started)).status).toBe(201);
    // What is completed takes no more.
    expect(await send(vault, started, bytes)).toBe(404);
    expect(await lying("local", started)).toBe(0);
  });

  it("takes two bodies at a time, and no third one: 429 with Retry-After", async () => {
    const { vault } = local();
    const bytes = pdf(300_000);
    const started = await begun(bytes);
    const slow = [
      await sending(vault, started, "Content-Length: 300000"),
      await sending(vault, started, "Content-Length: 300000"),
    ];
    for (const socket of slow) socket.write(bytes.subarray(0, 200_000));
    await untilHolds(async () => (await pending()) === 2);
    const third = await vault.bring("PUT", text(started.body, "url"), { bytes });
    expect([third.status, code(third), third.headers.has("retry-after")]).toEqual([
      429,
      "too_many_requests",
      true,
    ]);
    for (const socket of slow) socket.destroy();
    await untilHolds(async () => (await send(vault, started, bytes)) === 204);
  });

  it("outlives sweeps as long as bytes come, and not longer", async () => {
    const { vault, complete } = local();
    const bytes = pdf(500_000);
    const started = await begun(bytes);
    const socket = await sending(vault, started, "Content-Length: 500000", "Connection: close");
    const minutes = 60_000;
    const record = async () => (await vault.records("uploads")).find(({ id }) => id === started.upload);
    for (let at = 0; at < 400_000; at += 100_000) {
      const prolonged = vault.clock.now() + 15 * minutes;
      socket.write(bytes.subarray(at, at + 100_000));
      // The first of them come while there is time enough.
      if (at > 0) await untilHolds(async () => Number((await record())?.["until"]) >= prolonged);
      else await untilHolds(async () => (await pending()) === 1);
      await vault.swept(9 * minutes);
    }
    socket.write(bytes.subarray(400_000));
    expect(await answerOf(socket)).toBe("204");
    expect((await complete(started)).status).toBe(201);
    const other = await begun(bytes);
    const late = await sending(vault, other, "Content-Length: 500000", "Connection: close");
    late.write(bytes.subarray(0, 100_000));
    await untilHolds(async () => (await pending()) === 1);
    await vault.swept(25 * minutes);
    late.write(bytes.subarray(100_000));
    expect(await answerOf(late)).toBe("404");
    await untilHolds(async () => (await pending()) === 0);
    expect(await lying("local", other)).toBe(0);
    expect((await complete(other)).outcome).toEqual([404, "not_found"]);
  });
});

it("What is no claim of a file begins nothing", async () => {
  const { vault, token, paper } = of("local");
  const at = `papers/${await paper()}/_files/scan`;
  const before = (await vault.records("uploads")).length;
  for (const wrong of [{ size: 2 ** 53 }, { name: "" }, { name: "x".repeat(5_000) }, { type: "a/b\r\nx: y" }])
    expect((await ask(vault, at, claim(pdf(9), wrong), { token })).status).toBe(400);
  expect(await vault.records("uploads")).toHaveLength(before);
});
