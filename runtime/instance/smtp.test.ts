import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import type { Mail } from "../realm/mail.ts";
import { Undelivered } from "./mail.ts";
import { describeSmtp, parseSmtpUrl, Smtp, type SmtpServer } from "./smtp.ts";

describe("SVC_SMTP_URL", () => {
  it.each<[string, Partial<SmtpServer>]>([
    [
      "smtp://mail.example.com",
      { host: "mail.example.com", port: 587, secure: false, credentials: undefined },
    ],
    ["smtps://mail.example.com", { port: 465, secure: true }],
    ["smtp://127.0.0.1:2525", { host: "127.0.0.1", port: 2525 }],
    ["smtp://[::1]:25/", { host: "::1", port: 25 }],
    ["smtps://me%40x:p%3A%2F@mail", { credentials: { user: "me@x", pass: "p:/" } }],
  ])("%s", (url, server) => {
    expect(parseSmtpUrl(url)).toMatchObject(server);
  });

  it.each([
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail/path",
    "smtps://mail?tls.rejectUnauthorized=false",
    "smtp://mail#x",
    "smtp://mail:0",
    "smtp://mail:99999",
    "smtp://me@mail",
    "smtp://:secret@mail",
    "smtp://%zz:x@mail",
    "smtp://ma il",
    "smtp://ma%0d%0ail",
  ])("refuses %s", (url) => {
    expect(parseSmtpUrl(url)).toBeUndefined();
  });

  it("is described without credentials", () => {
    const described = (url: string) => {
      const server = parseSmtpUrl(url);
      return server && describeSmtp(server);
    };
    expect(described("smtps://me:secret@mail")).toBe("smtps://mail:465");
    expect(described("smtp://[::1]")).toBe("smtp://[::1]:587");
  });
});

const letter: Mail = {
  from: "Büro <noreply@example.com>",
  to: "ada@example.com",
  subject: "Choose a new password",
  text: `https://app.example.com/reset?token=svt_${"x".repeat(200)}\n`,
};

interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly message: string;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** It offers STARTTLS with a certificate that nobody trusts. */
async function mailServer(options: SMTPServerOptions = {}) {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          message: Buffer.concat(chunks).toString("utf8"),
        });
        callback();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  stops.push(() => server.close(() => undefined));
  return { taken, port: addressOf(listener.address()).port };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return address;
}

function sender(url: string): Smtp {
  const server = parseSmtpUrl(url);
  if (server === undefined) throw new Error(`no server: ${url}`);
  const smtp = new Smtp(server);
  stops.push(() => smtp.close());
  return smtp;
}

async function refusal(smtp: Smtp): Promise<Undelivered> {
  const error: unknown = await smtp.deliver(letter).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Undelivered)) throw new Error("it was delivered");
  return error;
}

describe("Mail by SMTP", () => {
  it("reaches its recipient, whole", async () => {
    const { taken, port } = await mailServer();
    const smtp = sender(`smtp://127.0.0.1:${port}`);
    await smtp.deliver(letter);
    await smtp.deliver(letter);
    expect(taken).toHaveLength(2);
    expect(taken[0]).toMatchObject({ from: "noreply@example.com", to: ["ada@example.com"] });
    const { message = "" } = taken[0] ?? {};
    expect(message).toMatch(/^From: =\?UTF-8\?Q\?B=C3=BCro\?= <noreply@example.com>\r$/m);
    expect(message).toMatch(/^Subject: Choose a new password\r$/m);
    expect(message.replace(/=\r\n/g, "").replaceAll("=3D", "=")).toContain(letter.text.trim());
  });

  it("with credentials", async () => {
    const { taken, port } = await mailServer({
      authOptional: false,
      onAuth({ username, password }, _, callback) {
        if (username === "me" && password === "secret") callback(null, { user: "me" });
        else callback(new Error("no"));
      },
    });
    await sender(`smtp://me:secret@127.0.0.1:${port}`).deliver(letter);
    expect(taken).toMatchObject([{ user: "me" }]);
    const error = await refusal(sender(`smtp://me:wrong@127.0.0.1:${port}`));
    expect(error.facts).toMatchObject({ code: "EAUTH", response: 535 });
    expect(JSON.stringify(error.facts)).not.toMatch(/wrong|ada/);
  });

  it("a refusal of the server is final, its words are not repeated", async () => {
    const { port } = await mailServer({
      onRcptTo({ address }, _, callback) {
        callback(Object.assign(new Error(`no such mailbox ${address}`), { responseCode: 550 }));
      },
    });
    const error = await refusal(sender(`smtp://127.0.0.1:${port}`));
    expect(error).toMatchObject({ isFinal: true, facts: { code: "EENVELOPE", response: 550 } });
    expect(`${error.message} ${JSON.stringify(error.facts)}`).not.toContain("ada");
  });

  it("what passes is tried again: busy, or not there", async () => {
    const { port } = await mailServer({
      onRcptTo(_address, _, callback) {
        callback(Object.assign(new Error("busy"), { responseCode: 451 }));
      },
    });
    expect((await refusal(sender(`smtp://127.0.0.1:${port}`))).isFinal).toBe(false);
    expect((await refusal(sender("smtp://127.0.0.1:1"))).isFinal).toBe(false);
  });

  it("certificates are checked, from the beginning and after STARTTLS", async () => {
    const encrypted = await mailServer({ secure: true });
    const upgraded = await mailServer();
    // The latter is an address of this machine that is not known as one.
    for (const url of [`smtps://127.0.0.1:${encrypted.port}`, `smtp://0.0.0.0:${upgraded.port}`]) {
      const { facts } = await refusal(sender(url));
      expect(facts, url).toMatchObject({ reason: expect.stringMatching(/certificate/i) });
    }
    expect([...encrypted.taken, ...upgraded.taken]).toEqual([]);
  });

  it("credentials leave this machine encrypted or not at all", async () => {
    const asked: unknown[] = [];
    const { port } = await mailServer({
      hideSTARTTLS: true,
      onAuth(auth, _, callback) {
        asked.push(auth);
        callback(null, { user: "me" });
      },
    });
    await refusal(sender(`smtp://me:secret@0.0.0.0:${port}`));
    expect(asked).toEqual([]);
  });

  it("a server that says nothing does not hold the shutdown up", async () => {
    const silentServer = createServer();
    const connected = once(silentServer, "connection");
    silentServer.listen(0, "127.0.0.1");
    await once(silentServer, "listening");
    const { port } = addressOf(silentServer.address());
    const smtp = sender(`smtp://127.0.0.1:${port}`);
    const hanging = smtp.deliver(letter);
    await connected;
    smtp.close();
    await expect(hanging).rejects.toBeInstanceOf(Undelivered);
    silentServer.close();
  }, 5_000);
});
