import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mail } from "../realm/mail.ts";
import { Outbox } from "./outbox.ts";
import { heldClock } from "./testing/servers.ts";

let data: string;
let outbox: Outbox;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "outbox-"));
  outbox = new Outbox(data, heldClock());
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const letter: Mail = {
  from: "Help <noreply@example.com>",
  to: "ada@example.com",
  subject: "Choose a new password",
  text: "Choose one:\n\nhttps://app.example.com/reset?token=x\n",
};

async function written(mail: Partial<Mail> = {}): Promise<{ headers: readonly string[]; body: string }> {
  await outbox.deliver({ ...letter, ...mail });
  const names = readdirSync(outbox.folder);
  expect(names).toHaveLength(1);
  const message = readFileSync(join(outbox.folder, names[0] ?? ""), "utf8");
  const end = message.indexOf("\r\n\r\n");
  return { headers: message.slice(0, end).split("\r\n"), body: message.slice(end + 4) };
}

describe("The outbox", () => {
  it("holds messages of RFC 5322, a file each, named by the time", async () => {
    const { headers, body } = await written();
    expect(readdirSync(outbox.folder)).toEqual([
      expect.stringMatching(/^20260101T000000000Z-[0-9a-f]{12}\.eml$/),
    ]);
    expect([...headers].sort()).toEqual([
      "Content-Transfer-Encoding: 8bit",
      "Content-Type: text/plain; charset=utf-8",
      "Date: Thu, 01 Jan 2026 00:00:00 +0000",
      "From: Help <noreply@example.com>",
      "MIME-Version: 1.0",
      expect.stringMatching(/^Message-ID: <[^<>\s]+@example\.com>$/),
      "Subject: Choose a new password",
      "To: ada@example.com",
    ]);
    expect(body).toBe("Choose one:\r\n\r\nhttps://app.example.com/reset?token=x\r\n");
  });

  it("leaves links as they are, on one line, however long, and text in UTF-8", async () => {
    const link = `https://app.example.com/a=b?q=%3D&token=${"x".repeat(700)}==`;
    const { body } = await written({ text: `Grüße:\n${link}\n.\n` });
    expect(body).toBe(`Grüße:\r\n${link}\r\n.\r\n`);
  });

  it("is for nobody else's eyes, and has no unfinished files", async () => {
    await written();
    expect(statSync(outbox.folder).mode & 0o777).toBe(0o700);
    const [name = ""] = readdirSync(outbox.folder);
    expect(statSync(join(outbox.folder, name)).mode & 0o777).toBe(0o600);
  });

  it("keeps mails of one moment apart", async () => {
    await Promise.all(Array.from({ length: 20 }, () => outbox.deliver(letter)));
    expect(readdirSync(outbox.folder)).toHaveLength(20);
  });

  it.each<[string, Partial<Mail>]>([
    ["from", { from: 'Help\r\nBcc: eve@example.com\r\nX: "<noreply@example.com>' }],
    ["from", { from: '"Help\r\nBcc: eve@example.com" <noreply@example.com>' }],
    ["to", { to: "ada@example.com\r\nBcc: eve@example.com" }],
    ["subject", { subject: "Hello\r\nBcc: eve@example.com\r\n\r\nbody" }],
    ["subject", { subject: "Hello\nBcc: eve@example.com" }],
    ["subject", { subject: "Hello\rBcc: eve@example.com" }],
  ])("no header is smuggled in by %s", async (_, mail) => {
    const { headers, body } = await written(mail);
    const names = headers.filter((line) => !/^\s/.test(line)).map((line) => line.split(":")[0]);
    expect(names.sort()).toEqual([
      "Content-Transfer-Encoding",
      "Content-Type",
      "Date",
      "From",
      "MIME-Version",
      "Message-ID",
      "Subject",
      "To",
    ]);
    expect(body).toMatch(/^Choose one:/);
  });

  it("names of the sender in other letters are encoded", async () => {
    const { headers } = await written({ from: "Büro <noreply@example.com>" });
    expect(headers).toContain("From: =?UTF-8?Q?B=C3=BCro?= <noreply@example.com>");
  });

  it("a write that fails leaves nothing behind", async () => {
    rmSync(outbox.folder, { recursive: true });
    await expect(outbox.deliver(letter)).rejects.toThrow("ENOENT");
    expect(readdirSync(data)).toEqual([]);
  });
});
