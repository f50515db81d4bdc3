import type { FastifyInstance } from "fastify";
import type { Method, RealmInstance, RealmModule, RouteFactory } from "../realm/exchange.ts";
import { corsOf } from "./cors.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Endpoint } from "./endpoint.ts";
import { allowOf, methodNotAllowed } from "./fallback.ts";
import { classOfPath, outside, routeHeaders } from "./headers.ts";
import { PathTable } from "./paths.ts";

/** A realm's endpoint and what makes its handler once the realm runs. */
interface Pending {
  readonly endpoint: Endpoint;
  readonly factory: RouteFactory;
}

const order: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What `SVC_ADMIN_API=off` takes away. */
const administration = /^\/v1\/[^/]+\/_admin\//;

/** Everything that has an address: registered with Fastify, its router, at once; realms begin to answer later. */
export class Registry {
  /** The methods of each path. */
  readonly paths = new PathTable<Set<string>>();
  /** The same by pattern: what `paths` finds for one may be those of a pattern with parameters. */
  readonly #methods = new Map<string, Set<string>>();
  readonly #pending = new Map<string, readonly Pending[]>();
  readonly #app: FastifyInstance;
  readonly #dispatcher: Dispatcher;
  readonly #adminApi: boolean;

  constructor(app: FastifyInstance, dispatcher: Dispatcher, adminApi: boolean) {
    this.#app = app;
    this.#dispatcher = dispatcher;
    this.#adminApi = adminApi;
  }

  /** Every realm answers. */
  get complete(): boolean {
    return this.#pending.size === 0;
  }

  /** An address outside realms. */
  addFixed(pattern: string, handle: Endpoint["handle"]): void {
    this.#register({ pattern, handle, headers: outside, cors: undefined, readsBody: false }, "GET");
  }

  /** A realm's addresses; they answer 503 until it is served. */
  addRealm({ definition, routes }: RealmModule): void {
    const cors = corsOf(definition);
    const pending: Pending[] = [];
    const patterns = new Map(routes.flatMap((table) => Object.entries(table)));
    for (const table of routes) {
      for (const [pattern, methods] of Object.entries(table)) {
        if (!this.#adminApi && administration.test(pattern)) continue;
        const headers = routeHeaders(classOfPath(pattern.split("/")), cors.credentials);
        for (const method of order) {
          const factory = methods[method];
          if (factory === undefined) continue;
          const endpoint = { pattern, handle: undefined, headers, cors, readsBody: method !== "GET" };
          this.#register(endpoint, method);
          pending.push({ endpoint, factory });
        }
        // A name among ids, such as `_aggregate`: the methods of ids are not its own.
        const ofIds = patterns.get(pattern.replace(/[^/]+$/, ":id")) ?? {};
        for (const method of order) {
          if (ofIds[method] === undefined || methods[method] !== undefined) continue;
          const handle = () => methodNotAllowed(method, allowOf(this.#methods.get(pattern) ?? []));
          this.#route({ pattern, handle, headers, cors, readsBody: false }, withHead(method));
        }
      }
    }
    this.#pending.set(definition.name, pending);
  }

  serve(realm: RealmInstance): void {
    const { name, accounts } = realm.definition;
    for (const { endpoint, factory } of this.#pending.get(name) ?? []) {
      const route = factory(realm);
      endpoint.headers = routeHeaders(route.class, accounts?.cookie !== undefined);
      endpoint.handle = route.handle;
    }
    this.#pending.delete(name);
  }

  #register(endpoint: Endpoint, method: Method): void {
    const { pattern } = endpoint;
    const methods = withHead(method);
    const known = this.#methods.get(pattern) ?? new Set();
    for (const each of methods) known.add(each);
    this.#methods.set(pattern, known);
    this.paths.set(pattern, known);
    this.#route(endpoint, methods);
  }

  #route(endpoint: Endpoint, methods: string[]): void {
    const dispatcher = this.#dispatcher;
    this.#app.route<{ Params: Record<string, string | undefined> }>({
      method: methods,
      url: endpoint.pattern,
      // The earliest hook: it takes the request over, so nothing of Fastify's body parsing or replying runs.
      onRequest: (request, reply) => {
        reply.hijack();
        dispatcher.dispatch(endpoint, request.raw, reply.raw, request.params);
      },
      handler: () => undefined,
    });
  }
}

/** HEAD works where GET does. */
function withHead(method: Method): string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}
