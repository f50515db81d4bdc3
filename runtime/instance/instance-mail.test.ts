import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accountsModule, type Logged, password, plainModule, tokenIn } from "../auth/testing/accounts.ts";
import { isJsonObject } from "../json.ts";
import type { Log, RealmModule } from "../realm/exchange.ts";
import { passingPlace } from "../store/testing/stores.ts";
import { type Instance, startInstance } from "./instance.ts";
import type { Settings } from "./settings.ts";
import { heldClock, testSettings } from "./testing/servers.ts";

const email = { from: "Shop <shop@example.com>", verifyLink: "https://app.example.com/verify?token={token}" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "instance-mail-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start(
  settings: Partial<Settings>,
  module: RealmModule = accountsModule("shop", { email }),
): Promise<{ instance: Instance; logs: readonly Logged[]; stop: () => Promise<void> }> {
  const place = passingPlace();
  const logs: Logged[] = [];
  const keep = (level: Logged["level"]) => (fields: object, message: string) => {
    logs.push({ level, fields, message });
  };
  const log: Log = { info: keep("info"), warn: keep("warn"), error: keep("error") };
  const instance = await startInstance({
    fingerprint: "f",
    realms: [module],
    settings: { ...testSettings, store: place.location, ...settings },
    clock: heldClock(),
    log,
    repeat: () => () => undefined,
  });
  await instance.ready;
  return {
    instance,
    logs,
    async stop() {
      await instance.stop(2_000);
      await place.discard();
    },
  };
}

async function signup({ url }: Instance): Promise<void> {
  const { status } = await fetch(`${url}/v1/shop/_auth/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", password }),
  });
  expect(status).toBe(201);
}

/** The value of a field of the first line with this message. */
function logged(logs: readonly Logged[], message: string, name: string): unknown {
  const line: unknown = logs.find((entry) => entry.message === message)?.fields;
  return isJsonObject(line) ? line[name] : undefined;
}

describe("Mail of an instance", () => {
  it("without SVC_SMTP_URL is written to the outbox, which is logged; a shutdown waits for it", async () => {
    const { instance, logs, stop } = await start({ data: folder });
    const outbox = join(folder, "outbox");
    expect(logged(logs, "SVC_SMTP_URL is not set: mail is written to files", "folder")).toBe(outbox);
    await signup(instance);
    await stop();
    const names = readdirSync(outbox);
    expect(names).toHaveLength(1);
    const message = readFileSync(join(outbox, names[0] ?? ""), "utf8");
    expect(message.split("\r\n")).toEqual(
      expect.arrayContaining([
        "From: Shop <shop@example.com>",
        "To: ada@example.com",
        `https://app.example.com/verify?token=${tokenIn(message)}`,
      ]),
    );
    expect(JSON.stringify(logs)).not.toMatch(/svt_|ada@/);
  });

  it("with a store in memory is written to a folder that is gone at the end", async () => {
    const { instance, logs, stop } = await start({ store: { engine: "sqlite", folder: ":memory:" } });
    const outbox = String(logged(logs, "SVC_SMTP_URL is not set: mail is written to files", "folder"));
    await signup(instance);
    expect(existsSync(outbox)).toBe(true);
    await stop();
    expect(existsSync(outbox)).toBe(false);
  });

  it("with SVC_SMTP_URL is sent there, and no outbox is made", async () => {
    const messages: string[] = [];
    const mailServer = new SMTPServer({
      authOptional: true,
      logger: false,
      onData(stream, _, callback) {
        stream.on("data", (chunk: Buffer) => messages.push(chunk.toString("utf8")));
        stream.on("end", () => callback());
      },
    });
    const listener = mailServer.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    if (address === null || typeof address === "string") throw new Error("it listens on no port");
    const smtp = { host: "127.0.0.1", port: address.port, secure: false, credentials: undefined };
    const { instance, logs, stop } = await start({ data: folder, smtp });
    expect(logged(logs, "mail is sent", "server")).toBe(`smtp://127.0.0.1:${address.port}`);
    await signup(instance);
    await stop();
    await new Promise<void>((closed) => mailServer.close(closed));
    expect(messages.join("")).toMatch(/^To: ada@example.com\r$/m);
    expect(existsSync(join(folder, "outbox"))).toBe(false);
  });

  it("that cannot be sent is a warning in the log, without its address, and no hindrance", async () => {
    const smtp = { host: "127.0.0.1", port: 1, secure: false, credentials: { user: "me", pass: "secret" } };
    const { instance, logs, stop } = await start({ data: folder, smtp });
    await signup(instance);
    await stop();
    const warnings = logs.filter(({ level }) => level !== "info");
    expect(warnings).toMatchObject([
      {
        level: "warn",
        message: "a mail could not be sent yet; it is tried again",
        fields: { attempts: 1, code: "ESOCKET" },
      },
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/svt_|ada@|secret/);
  });

  it("without accounts there is none, nor a folder for it", async () => {
    const { logs, stop } = await start({ data: folder }, plainModule("shop"));
    await stop();
    expect(readdirSync(folder)).toEqual([]);
    expect(logs.map(({ message }) => message).join()).not.toContain("mail");
  });
});
