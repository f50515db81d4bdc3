import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { Mail } from "../realm/mail.ts";
import { makeFolder } from "../store/engines.ts";
import type { Delivery } from "./mail.ts";

/**
 * Writes mails as files that any mail program reads, one each: `<time>-<random>.eml`. A file is there whole or not at all,
 * and for nobody else's eyes: it holds tokens.
 */
export class Outbox implements Delivery {
  readonly folder: string;
  readonly #clock: Clock;

  /** @throws Error naming the data folder where it cannot be made */
  constructor(data: string, clock: Clock) {
    this.folder = join(data, "outbox");
    this.#clock = clock;
    makeFolder("SVC_DATA", this.folder);
  }

  async deliver(mail: Mail): Promise<void> {
    const at = new Date(this.#clock.now());
    const message = await messageOf(mail, at);
    const name = `${at.toISOString().replace(/[-:.]/g, "")}-${randomBytes(6).toString("hex")}.eml`;
    const unfinished = join(this.folder, `.${name}`);
    try {
      const file = await open(unfinished, "wx", 0o600);
      try {
        await file.writeFile(message);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, join(this.folder, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  close(): void {}
}

/**
 * A message of RFC 5322. Its text is sent as it is (8bit), so that links stand in the file as they are; the headers are
 * nodemailer's, as they are by SMTP.
 */
async function messageOf({ from, to, subject, text, html }: Mail, at: Date): Promise<string | Buffer> {
  const { default: MimeNode } = await import("nodemailer/lib/mime-node");
  const date = at.toUTCString().replace("GMT", "+0000");
  const head = { From: from, To: to, Subject: subject, Date: date };
  if (html !== undefined) {
    const message = new MimeNode("multipart/alternative").setHeader(head);
    message.createChild("text/plain; charset=utf-8").setContent(text);
    message.createChild("text/html; charset=utf-8").setContent(html);
    return message.build();
  }
  const headers = new MimeNode("text/plain; charset=utf-8")
    .setHeader(head)
    .setHeader("Content-Transfer-Encoding", "8bit")
    .buildHeaders();
  return `${headers}\r\n\r\n${text.replace(/\r?\n/g, "\r\n")}`;
}
