import type { createTransport } from "nodemailer";
import type { Mail } from "../realm/mail.ts";
import { type Delivery, Undelivered } from "./mail.ts";

/** A mail server, as `SVC_SMTP_URL` names it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the beginning (`smtps:`). */
  readonly secure: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | undefined;
}

/** What `parseSmtpUrl` takes. */
export const smtpForms =
  "smtp://host:port or smtps://host:port, with user:password@ where the server asks for it";

/** Undefined for what is none. Options in the URL are refused: one of them would turn the check of certificates off. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const secure = protocol === "smtps:";
  if (!secure && protocol !== "smtp:") return undefined;
  if (pathname.length > 1 || search !== "" || hash !== "" || port === "0") return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (!/^[a-z\d.:-]+$/i.test(host)) return undefined;
  const user = decoded(username);
  const pass = decoded(password);
  if (user === undefined || pass === undefined || (user === "") !== (pass === "")) return undefined;
  const credentials = user === "" ? undefined : { user, pass };
  return { host, port: port === "" ? (secure ? 465 : 587) : Number(port), secure, credentials };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The server without credentials. */
export function describeSmtp({ secure, host, port }: SmtpServer): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${secure ? "smtps" : "smtp"}://${name}:${port}`;
}

/** Milliseconds for each step: finding the server, connecting, its greeting, each of its answers. */
const patience = 10_000;

/** Sends mails by SMTP, over at most two connections, which are kept for a moment. */
export class Smtp implements Delivery {
  readonly #server: SmtpServer;
  #transport: Promise<ReturnType<typeof connectTo>> | undefined;

  constructor(server: SmtpServer) {
    this.#server = server;
  }

  async deliver(mail: Mail): Promise<void> {
    this.#transport ??= import("nodemailer").then(({ createTransport }) =>
      connectTo(this.#server, createTransport),
    );
    const transport = await this.#transport;
    try {
      const { from, to, subject, text, html } = mail;
      await transport.sendMail({
        ...{ from, to, subject, text, ...(html !== undefined && { html }) },
        ...{ disableFileAccess: true, disableUrlAccess: true },
      });
    } catch (error) {
      throw undelivered(error);
    }
  }

  close(): void {
    this.#transport?.then(
      (transport) => transport.close({ force: true }),
      () => undefined,
    );
  }
}

function connectTo({ host, port, secure, credentials }: SmtpServer, create: typeof createTransport) {
  const isHere = /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
  return create({
    pool: true,
    maxConnections: 2,
    maxRequeues: 1,
    idleTimeout: 30_000,
    host,
    port,
    secure,
    // Mails and passwords cross a network encrypted only. Within this machine there is nobody to hide them from, and a
    // certificate for it that anybody has signed there is not.
    ...(!secure && (isHere ? { ignoreTLS: true } : { requireTLS: credentials !== undefined })),
    ...(credentials !== undefined && { auth: credentials }),
    dnsTimeout: patience,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
  });
}

/** What went wrong with the connection: then the message is not the server's. */
const connectionCodes: readonly unknown[] = ["EDNS", "ESOCKET", "ETLS", "ETIMEDOUT"];

/** What a log may hold of what nodemailer throws: a server's own words repeat the address. */
function undelivered(error: unknown): Undelivered {
  const { code, command, responseCode: response, message } = isObject(error) ? error : {};
  const isFinal = typeof response === "number" && response >= 500 && response !== 503;
  const reason = response === undefined && connectionCodes.includes(code) ? message : undefined;
  return new Undelivered({ code, command, response, reason }, isFinal);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
