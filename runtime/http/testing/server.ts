import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Hub } from "../../feed/hub.ts";
import { manySignups } from "../../instance/testing/servers.ts";
import { anonymous } from "../../realm/caller.ts";
import type { AccountSettings, RealmDefinition } from "../../realm/definition.ts";
import type {
  Answer,
  Handler,
  Method,
  RealmInstance,
  RealmModule,
  RouteClass,
  RouteTable,
} from "../../realm/exchange.ts";
import type { RealtimeHost } from "../../realm/realtime.ts";
import type { Signer } from "../../signing.ts";
import type { Store } from "../../store/contract/store.ts";
import { trustNobody } from "../address.ts";
import { createServer, type HttpServer, type ServerOptions } from "../server.ts";

/** A realm of nothing but the given routes, for tests of the HTTP layer. */
export function realmOf(
  routes: RouteTable,
  definition: Partial<RealmDefinition> = {},
): RealmModule & { readonly instance: RealmInstance } {
  const whole: RealmDefinition = {
    name: "shop",
    origins: [],
    appConfig: {},
    openapi: { access: "public", document: { openapi: "3.1.0" } },
    collections: [],
    effective: { realm: {}, databases: {} },
    ...definition,
  };
  return { definition: whole, routes: [routes], instance: instanceOf(whole) };
}

/** Of a realm whose accounts are beside the point. */
export const someAccounts: AccountSettings = {
  signup: "open",
  signupLimit: manySignups,
  roles: [],
  defaultRoles: [],
  sessionLifetime: 1,
  sessionIdleTimeout: 1,
  adminIdleTimeout: 1,
  adminMaxLifetime: 1,
  readAccess: [],
};

function instanceOf(definition: RealmDefinition): RealmInstance {
  return {
    definition,
    store: untouched<Store>("the store"),
    clock: { now: () => 0 },
    newId: () => "0".repeat(20),
    fingerprint: "test",
    authenticate: () => anonymous,
    administers: () => undefined,
    credentials: {
      expiry: () => Number.POSITIVE_INFINITY,
      used: () => undefined,
      ended: async () => undefined,
    },
    appConfig: {
      mark: () => undefined,
      forRules: () => definition.appConfig,
      current: () => definition.appConfig,
    },
    wakeJobs: () => undefined,
    dropJob: () => undefined,
    passwords: { hash: async () => "", hashAtSignup: async () => "", verify: async () => false },
    vault: { newest: "", seal: (box, key) => ({ key, box }), open: ({ box }) => box },
    mail: { queue: async () => undefined },
    log: silent,
    pageCharacters: 4 * 1024 * 1024,
    expandLimits: { maxDepth: 2, maxPaths: 5, maxArray: 100, maxDocs: 2_000 },
    cursors: unsigned,
    streams: unsigned,
    hub: untouched<Hub>("who follows what"),
    realtime: untouched<RealtimeHost>("streams of changes"),
    countIdConflict: () => undefined,
    background: () => undefined,
  };
}

const unsigned: Signer = {
  sign: (payload) => Buffer.from(payload).toString(),
  open: (token) => token,
  openBytes: (token) => Buffer.from(token),
};

/** What the HTTP layer does not touch. */
function untouched<T extends object>(what: string): T {
  return new Proxy<T>(Object.create(null), {
    get() {
      throw new Error(`the HTTP layer has no business with ${what}`);
    },
  });
}

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One route of each given method, all with the same handler. */
export function route(
  handle: Handler,
  kind: RouteClass = "document",
): () => { class: RouteClass; handle: Handler } {
  return () => ({ class: kind, handle });
}

export function routes(methods: readonly Method[], handle: Handler, kind?: RouteClass): RouteTable[string] {
  return Object.fromEntries(methods.map((method) => [method, route(handle, kind)]));
}

export function ok(value: object, headers?: Answer["headers"]): Answer {
  return { status: 200, body: JSON.stringify(value), ...(headers && { headers }) };
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
}

/** Listens on a port of its own, with every realm served. */
export async function listening(
  realms: readonly (RealmModule & { readonly instance: RealmInstance })[],
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const server = createServer({
    realms,
    fingerprint: "f1",
    maxBodyBytes: 1024,
    answerMemory: 256 * 1024 * 1024,
    bodyMemory: 1024 * 1024,
    maxConnections: 1_000,
    adminApi: true,
    addressOf: trustNobody,
    log: silent,
    reachable: async () => undefined,
    ...options,
  });
  const url = await server.listen("127.0.0.1", 0);
  for (const { instance } of realms) server.serve(instance);
  return { url, port: Number(new URL(url).port), server };
}

/** What a raw connection got, until the server closed it. */
export async function exchangeBytes(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await open(port);
  socket.write(bytes);
  return untilClosed(socket);
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

export async function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // Also where it was reset.
  await new Promise((resolve) => socket.once("close", resolve).on("error", () => undefined));
  return Buffer.concat(chunks).toString("latin1");
}

/** The responses of a raw connection, each as status, header lines in lower case, and body. */
export function parseResponse(raw: string): { status: number; headers: Map<string, string>; body: string } {
  const end = raw.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = raw.slice(0, end).split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, body: raw.slice(end + 4) };
}
