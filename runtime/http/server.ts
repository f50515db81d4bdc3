import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";
import type { Log, RealmInstance, RealmModule } from "../realm/exchange.ts";
import type { AddressOf } from "./address.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { BodyMemory } from "./body-memory.ts";
import { refuse, refuseClient } from "./client-errors.ts";
import { corsOf } from "./cors.ts";
import { Dispatcher, type Explain, type Observer } from "./dispatcher.ts";
import { type Door, openDoor } from "./door.ts";
import { healthz, type Migrating, readyz } from "./health.ts";
import { Leaving } from "./leaving.ts";
import type { Metrics } from "./metrics.ts";
import { Registry } from "./registry.ts";
import { requestIds } from "./request-id.ts";
import { requestRouter } from "./router.ts";
import { StalledBodies } from "./streams/stalled.ts";

export interface ServerOptions {
  readonly realms: readonly RealmModule[];
  /** Of the configuration, for `/readyz`. */
  readonly fingerprint: string;
  readonly maxBodyBytes: number;
  /** Bytes of answers under way (`SVC_ANSWER_MEMORY`). */
  readonly answerMemory: number;
  /** Bytes of request bodies that are held at a time (`SVC_BODY_MEMORY`). */
  readonly bodyMemory: number;
  /** Connections that are open at a time (`SVC_MAX_CONNECTIONS`). */
  readonly maxConnections: number;
  /** Whether `_admin` exists (`SVC_ADMIN_API`). */
  readonly adminApi: boolean;
  readonly addressOf: AddressOf;
  readonly log: Log;
  /** Throws when a store cannot be reached. */
  readonly reachable: () => Promise<void>;
  /** For `/readyz`: how far migrations are that run before a realm answers. Default: there are none. */
  readonly migrating?: () => Migrating | undefined;
  /** For `/readyz`: what somebody should look at. Default: nothing. */
  readonly warnings?: () => Promise<readonly string[]>;
  readonly metrics?: Metrics | undefined;
  /** They are served at an address of their own, not here. */
  readonly metricsElsewhere?: boolean;
  /** Told of every answer. */
  readonly observe?: Observer | undefined;
  readonly explain?: Explain | undefined;
  /** Milliseconds for a request to arrive, or for something more of a streamed body; and between looks at late ones. */
  readonly requestTimeout?: number;
  readonly timeoutInterval?: number;
  /** Milliseconds after which a connection is ended that takes nothing of its answer. */
  readonly answerPatience?: number;
}

export interface HttpServer {
  /** Listens and answers the base address. Realms answer 503 until they are served. */
  listen(host: string, port: number): Promise<string>;
  /** Takes the connections of a door that is open already. */
  listenAt(door: Door): Promise<void>;
  /** Serves a connection that another process accepted and handed over. */
  accept(connection: Socket): void;
  /** Makes a realm's routes answer. `/readyz` turns 200 once all of them do. */
  serve(realm: RealmInstance): void;
  /**
   * Stops accepting, answers requests under way and those that clients send before they can know of it, and closes
   * connections; resolves when all is answered. Connections still open after `grace` milliseconds are cut.
   */
  close(grace: number): Promise<void>;
  /**
   * Gives its connections away: new ones and idle ones at once and unread, through `give`; those with requests under way
   * are answered and closed, or given when they are idle. The door stays open.
   */
  leave(give: (connection: Socket) => void): Leaving;
  /** Answers a request of another server's connection, which closes then. */
  answer(raw: IncomingMessage, response: ServerResponse): void;
}

const headerBytes = 32 * 1024;

/**
 * Milliseconds that a shutdown leaves idle connections open: busy ones look idle between two requests, and the next one
 * may be under way to us.
 */
const betweenRequests = 100;

/** Builds the server: Fastify sees to its connections, the {@link Dispatcher} is its request path. */
export function createServer(options: ServerOptions): HttpServer {
  const requestId = requestIds();
  const { addressOf, log, maxBodyBytes, answerMemory, answerPatience = 30_000, metrics } = options;
  const observe = bothOf(metrics?.observe, options.observe);
  const requestTimeout = options.requestTimeout ?? 60_000;
  const stalled = new StalledBodies(requestTimeout);
  const reception = {
    addressOf,
    maxBodyBytes,
    bodies: new BodyMemory(options.bodyMemory),
    stalled,
    answers: new AnswerMemory(answerMemory),
  };
  const dispatcher = new Dispatcher({
    reception,
    answerPatience,
    log,
    observe,
    explain: options.explain,
    requestId,
  });
  metrics?.streams(() => dispatcher.streams.count);
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout,
    http: {
      maxHeaderSize: headerBytes,
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, 30_000),
      // Node's own answer to a missing Host header has no envelope; the dispatcher's has.
      requireHostHeader: false,
      // Of a header sent twice, such as Authorization, Node would quietly take the first.
      joinDuplicateHeaders: true,
      connectionsCheckingInterval: options.timeoutInterval ?? 5_000,
    },
    // Ours; Fastify's goes unused.
    genReqId: () => "",
    routerOptions: {
      // A whole path is a parameter to it; nothing in 32 KiB of headers is longer.
      maxParamLength: headerBytes,
      querystringParser: () => ({}),
    },
    clientErrorHandler(error, socket) {
      // Node says so once: of a streamed body, what counts is whether it goes on.
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && stalled.isOn(socket)) return;
      refuseClient(error, socket, requestId({}));
    },
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      route(request.raw, reply.raw);
    },
  });

  let door: Door | undefined;
  let leaving: Leaving | undefined;
  const registry = new Registry(options.adminApi);
  const cors = new Map(options.realms.map(({ definition }) => [definition.name, corsOf(definition)]));
  const routed = requestRouter(dispatcher, registry, cors);
  const route: typeof routed = (raw, response) => {
    if (leaving === undefined || !leaving.redirect(raw, response)) routed(raw, response);
  };
  const ready = () => registry.complete && !dispatcher.draining;
  registry.addFixed("/healthz", healthz);
  registry.addFixed(
    "/readyz",
    readyz({
      ...options,
      ready,
      migrating: options.migrating ?? (() => undefined),
      warnings: options.warnings ?? (async () => []),
    }),
  );
  if (metrics !== undefined && options.metricsElsewhere !== true)
    registry.addFixed("/metrics", metrics.handle);
  for (const realm of options.realms) registry.addRealm(realm);
  answerAll(app, route);
  // The client waits until its body is wanted.
  app.server.on("checkContinue", (request, response) => app.server.emit("request", request, response));
  // `Expect` with anything but 100-continue: it may be ignored (RFC 9110, 10.1.1).
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  // Node and Fastify would close idle connections the moment they stop accepting.
  const closeIdle = app.server.closeIdleConnections.bind(app.server);
  app.server.closeIdleConnections = () => undefined;
  // Node would drop those after the first 2,000 without a word; their bytes bound them.
  app.server.maxHeadersCount = 0;
  const sockets = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.server.on("connect", (_request, socket) => {
    const headers = { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" };
    refuse(
      socket,
      new ApiError("method_not_allowed", "CONNECT is not supported.", { headers }),
      requestId({}),
    );
  });

  function closeUnused(): void {
    closeIdle();
    // Node takes a connection that never sent anything for a busy one.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  async function listenAt(opened: Door): Promise<void> {
    await app.ready();
    door = opened;
    door.open((connection) => app.server.emit("connection", connection));
  }

  // It listens by way of a door; what an HTTP server sets up when it listens itself, it sets up now.
  app.server.emit("listening");
  return {
    async listen(host, port) {
      const opened = await openDoor({ host, port }, options.maxConnections, log);
      await listenAt(opened);
      return opened.url;
    },
    listenAt,
    accept(connection) {
      // As Node sets up connections that it accepts for an HTTP server.
      connection.allowHalfOpen = true;
      connection.setNoDelay(true);
      app.server.emit("connection", connection);
    },
    serve: (realm) => registry.serve(realm),
    async close(grace) {
      dispatcher.drain();
      door?.close();
      // Immediately after the time, not at it: what has arrived until then is read before.
      const idle = setTimeout(() => setImmediate(closeUnused), Math.min(betweenRequests, grace));
      const cut = setTimeout(() => app.server.closeAllConnections(), grace);
      await app.close();
      // Node waits for connections that it accepted itself.
      await Promise.all(Array.from(sockets, gone));
      clearTimeout(idle);
      clearTimeout(cut);
      await dispatcher.idle();
    },
    leave(give) {
      leaving = new Leaving({
        give,
        dispatcher,
        sockets,
        closeIdle,
        accept: (connection) => app.server.emit("connection", connection),
        end: async () => {
          await app.close();
        },
      });
      door?.open((connection) => leaving?.takeNew(connection));
      return leaving;
    },
    answer(raw, response) {
      response.shouldKeepAlive = false;
      route(raw, response);
    },
  };
}

/** Whatever the path and method are, and Fastify reads no body. */
/** When a connection is closed, also by an error of its own, as one that its client resets. */
function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
}

function answerAll(app: FastifyInstance, route: ReturnType<typeof requestRouter>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const takeOver = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    route(request.raw, reply.raw);
  };
  // The earliest hook, so that nothing of Fastify's body parsing or replying runs.
  app.all("*", { onRequest: (request, reply) => takeOver(request, reply) }, () => undefined);
  // Methods that Fastify does not know.
  app.setNotFoundHandler(takeOver);
  app.setErrorHandler((_error, request, reply) => takeOver(request, reply));
}

function bothOf(one: Observer | undefined, other: Observer | undefined): Observer | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (...answered) => {
    one(...answered);
    other(...answered);
  };
}
