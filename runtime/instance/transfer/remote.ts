/** A running server as commands speak to it: as an administrator, patiently. */
import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject, objectIn } from "../../json.ts";
import { UsageError } from "../command.ts";
import { required } from "../command-words.ts";
import type { Environment } from "../settings.ts";

/** Nobody answers there, or nobody who serves requests. */
export class ServerUnreachable extends Error {}

/** The server does not let the key do this. */
export class ServerRefused extends Error {}

/** The server answers with an error that trying again does not mend. */
export class ServerAnswered extends Error {
  readonly status: number;
  /** As the API names errors; empty where the answer is none of its. */
  readonly code: string;
  readonly details: readonly { readonly path: string; readonly reason: string }[];

  constructor(what: string, status: number, body: JsonObject | undefined) {
    const error = isJsonObject(body?.["error"]) ? body["error"] : {};
    const { code, message, details } = error;
    super(
      `${what}: the server answers ${[status, code, message].filter((part) => part !== undefined).join(" ")}`,
    );
    this.status = status;
    this.code = typeof code === "string" ? code : "";
    this.details = (Array.isArray(details) ? details : []).flatMap((detail) => {
      if (!isJsonObject(detail)) return [];
      const { path, reason } = detail;
      return typeof path === "string" && typeof reason === "string" ? [{ path, reason }] : [];
    });
  }
}

export interface RemoteRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** After `/v1/`, with its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Remote {
  /** As people may read it. */
  readonly name: string;
  /**
   * The JSON of the answer. Repeated where the server is busy, restarts or loses the connection: what is sent must have its
   * effect once, however often it is.
   * @throws ServerUnreachable | ServerRefused | ServerAnswered
   */
  send(request: RemoteRequest): Promise<JsonObject>;
}

/** Milliseconds that an answer may take. */
const PATIENCE = 120_000;
/** Milliseconds for which a server that answered before is waited for. */
const AWAY = 60_000;
/** Milliseconds of one pause at most, whatever the server asks for. */
const PAUSE = 30_000;
/** Bytes of an answer: a server's page has fewer. */
const LARGEST = 64 * 1024 ** 2;
/** Answers of those who will serve the request later. */
const later: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The server that `--url` names, with the key in `REALMC_KEY`.
 * @throws UsageError
 */
export function remoteOf(url: string, environment: Environment): Remote {
  const base = baseOf(url);
  const key = required(
    "REALMC_KEY, an administrator's key for the server of --url,",
    environment["REALMC_KEY"],
  ).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("REALMC_KEY is no key");
  let hasAnswered = false;
  return { name: base, send };

  async function send(request: RemoteRequest): Promise<JsonObject> {
    const { method, path } = request;
    const what = `${method} /v1/${path.split("?", 1)[0]}`;
    let until = performance.now() + AWAY;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await attempted(request);
      if ("status" in answer) {
        const { status, text, wait } = answer;
        hasAnswered = true;
        const body = objectIn(text);
        if (status >= 200 && status < 300) {
          if (body !== undefined) return body;
          throw new ServerUnreachable(`${base}: what answers there is no server of realms`);
        }
        if (status === 401 || status === 403) throw new ServerRefused(refusal(what, status, body));
        if (!later.has(status)) throw new ServerAnswered(what, status, body);
        // A server that says when to come back is there.
        if (status === 429) until = performance.now() + AWAY;
        if (performance.now() > until)
          throw new ServerUnreachable(`${base}: the server is not available: it answers ${status}`);
        await setTimeout(wait ?? pauseOf(attempt));
      } else {
        if (!hasAnswered || performance.now() > until)
          throw new ServerUnreachable(`${base}: the server cannot be reached: ${answer.failure}`);
        await setTimeout(pauseOf(attempt));
      }
    }
  }

  async function attempted({ method, path, body, headers = {} }: RemoteRequest): Promise<Answer | Failure> {
    try {
      const response = await fetch(`${base}/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        // A key is for nobody else.
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE),
      });
      return { status: response.status, text: await textOf(response), wait: waitOf(response) };
    } catch (error) {
      if (error instanceof ServerUnreachable) throw error;
      return { failure: causeOf(error) };
    }
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Milliseconds that the server asks for. */
  readonly wait: number | undefined;
}

interface Failure {
  readonly failure: string;
}

/** @throws UsageError */
function baseOf(url: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = parsed(url);
  if (protocol !== "http:" && protocol !== "https:") throw notAnAddress();
  if (username !== "" || password !== "") throw new UsageError("--url: the key goes into REALMC_KEY");
  if (search !== "" || hash !== "") throw notAnAddress();
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw notAnAddress();
  }
}

function notAnAddress(): UsageError {
  return new UsageError("--url must be the address of a server, such as https://api.example.com");
}

function refusal(what: string, status: number, body: JsonObject | undefined): string {
  const { message } = new ServerAnswered(what, status, body);
  return `${message}; REALMC_KEY must be the key of an administrator of the area data`;
}

function pauseOf(attempt: number): number {
  return Math.min(5_000, 250 * 2 ** attempt);
}

function waitOf({ headers }: Response): number | undefined {
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Math.min(PAUSE, Number(seconds) * 1000) : undefined;
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > LARGEST) throw new ServerUnreachable("what answers there is no server of realms");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Why a request failed: what `fetch` says of it stands in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause && typeof cause.code === "string"
    ? `${cause.code} ${cause.message}`.trim()
    : cause.message;
}
