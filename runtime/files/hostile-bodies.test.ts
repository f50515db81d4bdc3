/** Bodies whose length is a lie, and bodies that take their time. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collection, text } from "../documents/testing/shop.ts";
import { untilHolds } from "../testing/until.ts";
import { fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", { files: [fileField("scan"), fileField("pages", { maxFiles: 100 })] });

let vault: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [papers]);
});
afterAll(() => vault.stop());

const spooled = async () => (await vault.lying()).filter((name) => !/^[0-9a-f]{64}$/.test(name));

/** A connection on which an upload has begun. */
async function begun(path: string, ...headers: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(vault.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write([`POST /v1/shop/main/${path} HTTP/1.1`, "Host: shop", ...headers, "", ""].join("\r\n"));
  return socket;
}

/** All that is answered on a connection, until the server closes it. */
async function answered(socket: Socket): Promise<string> {
  let all = "";
  socket.setEncoding("utf8");
  // What is written to a connection that is closed already is lost, and that is that.
  socket.on("error", () => undefined);
  socket.on("data", (piece: string) => {
    all += piece;
  });
  await once(socket, "close");
  return all;
}

/** The status of the first answer, whatever comes then. */
async function firstStatus(socket: Socket): Promise<string> {
  socket.setEncoding("utf8");
  socket.on("error", () => undefined);
  const [first] = await once(socket, "data");
  socket.destroy();
  return statusOf(String(first));
}

const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "";

describe("A Content-Length that lies", () => {
  it("too small: the file ends there, and what follows is no part of it", async () => {
    const id = await vault.made("papers");
    const socket = await begun(`papers/${id}/_files/scan`, "Content-Length: 5");
    socket.write("once upon a time\r\n\r\n");
    // No request is what follows: the connection ends, after the answer.
    expect(await answered(socket)).toMatch(/^HTTP\/1\.1 201 (?![\s\S]*HTTP\/1\.1 2)/);
    const { body } = await vault.send("GET", `papers/${id}`);
    expect(text(body, "scan", "sha256")).toBe(sha256("once "));
  });

  it("too large: an upload that breaks off is none, and leaves nothing", async () => {
    const id = await vault.made("papers");
    const before = await vault.lying();
    const socket = await begun(`papers/${id}/_files/scan`, "Content-Length: 500000");
    socket.end("once upon a time");
    expect(statusOf(await answered(socket))).not.toBe("201");
    await untilHolds(async () => (await vault.lying()).length === before.length);
    expect((await vault.send("GET", `papers/${id}`)).body).not.toHaveProperty("scan");
  });

  it.each([
    ["beyond what files may be", ["Content-Length: 9999999"], "413"],
    ["beyond what numbers are", [`Content-Length: ${"9".repeat(40)}`], "413|400"],
    ["negative", ["Content-Length: -1"], "400"],
    ["no number", ["Content-Length: 0x10"], "400"],
    ["two of them", ["Content-Length: 5", "Content-Length: 6"], "400"],
    ["beside chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], "400"],
  ])("%s: refused before a body is read", async (_, headers, status) => {
    const id = await vault.made("papers");
    const before = await vault.lying();
    const socket = await begun(`papers/${id}/_files/scan`, ...headers, "Connection: close");
    expect(await firstStatus(socket)).toMatch(new RegExp(`^(?:${status})$`));
    expect(await vault.lying()).toEqual(before);
    expect((await vault.send("GET", `papers/${id}`)).body).not.toHaveProperty("scan");
  });

  it("chunks beyond what files may be are refused as they come: 413, and nothing is left", async () => {
    const id = await vault.made("papers");
    const before = await vault.lying();
    const socket = await begun(`papers/${id}/_files/scan`, "Transfer-Encoding: chunked");
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 20; sent += 1) socket.write(chunk);
    expect(await firstStatus(socket)).toBe("413");
    await untilHolds(async () => (await vault.lying()).length === before.length);
  });
});

describe("Bodies that take their time", () => {
  it("hold nobody else up, and are taken when they are whole", async () => {
    const id = await vault.made("papers");
    const headers = ["Content-Length: 20", "Content-Type: text/plain", "Connection: close"];
    const slow = await Promise.all(
      Array.from({ length: 50 }, () => begun(`papers/${id}/_files/pages`, ...headers)),
    );
    for (const socket of slow) socket.write("x");
    const other = await vault.made("papers");
    const file = await vault.uploaded(`papers/${other}/_files/scan`, 1_000);
    const read = await vault.bring("GET", `papers/${other}/_files/scan/${file["id"]}`);
    expect(sha256(read.bytes)).toBe(file["sha256"]);
    const answers = slow.map(answered);
    for (const [at, socket] of slow.entries())
      socket.write(`${"y".repeat(17)}${String(at).padStart(2, "0")}`);
    expect((await Promise.all(answers)).map(statusOf)).toEqual(slow.map(() => "201"));
    const { body } = await vault.send("GET", `papers/${id}`);
    expect(body["pages"]).toHaveLength(50);
  });

  it("leave nothing when they break off", async () => {
    const id = await vault.made("papers");
    const before = await vault.lying();
    const slow = await Promise.all(
      Array.from({ length: 20 }, () => begun(`papers/${id}/_files/pages`, "Content-Length: 200000")),
    );
    for (const socket of slow) socket.write("x".repeat(100_000));
    // They are on their way, each in a file of its own.
    await untilHolds(async () => (await spooled()).length === 20);
    for (const socket of slow) socket.destroy();
    await untilHolds(async () => (await vault.lying()).length === before.length);
    expect((await vault.send("GET", `papers/${id}`)).body).not.toHaveProperty("pages");
  });
});
