import type { Method, PathRoutes, RealmInstance, RealmModule } from "../realm/exchange.ts";
import { corsOf } from "./cors.ts";
import type { Endpoint } from "./endpoint.ts";
import { classOfPath, outside, routeHeaders } from "./headers.ts";
import { PathTable, parametersOf } from "./paths.ts";

/** An endpoint, and where its parameters stand among a path's segments. */
export interface Registered {
  readonly endpoint: Endpoint;
  readonly parameters: ReturnType<typeof parametersOf>;
}

/** A realm's endpoint and what makes its handler once the realm runs. */
interface Pending {
  readonly endpoint: Endpoint;
  readonly factory: NonNullable<PathRoutes[keyof PathRoutes]>;
}

const order: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What `SVC_ADMIN_API=off` takes away. */
const administration = /^\/v1\/[^/]+\/_admin\//;

/** Everything that has an address, from the start; realms begin to answer later. */
export class Registry {
  /** Of each path, by method. */
  readonly paths = new PathTable<Map<string, Registered>>();
  /** What is said at paths that are not among them. */
  readonly absent = new PathTable<Registered>();
  readonly #pending = new Map<string, readonly Pending[]>();
  readonly #adminApi: boolean;

  constructor(adminApi: boolean) {
    this.#adminApi = adminApi;
  }

  /** Every realm answers. */
  get complete(): boolean {
    return this.#pending.size === 0;
  }

  /** An address outside realms. */
  addFixed(pattern: string, handle: Endpoint["handle"]): void {
    this.#register(
      { pattern, handle, headers: outside, manners: undefined, cors: undefined, readsBody: false },
      "GET",
    );
  }

  /** A realm's addresses; they answer 503 until it is served. */
  addRealm({ definition, routes }: RealmModule): void {
    const cors = corsOf(definition);
    const pending: Pending[] = [];
    for (const table of routes) {
      for (const [pattern, methods] of Object.entries(table)) {
        if (!this.#adminApi && administration.test(pattern)) continue;
        const headers = routeHeaders(classOfPath(pattern.split("/")), cors.credentials);
        const common = { pattern, handle: undefined, headers, manners: undefined, cors };
        for (const method of order) {
          const factory = methods[method];
          if (factory === undefined) continue;
          const endpoint = { ...common, readsBody: method !== "GET" };
          this.#register(endpoint, method);
          pending.push({ endpoint, factory });
        }
        if (methods.absent !== undefined) {
          const endpoint = { ...common, readsBody: false };
          this.absent.at(pattern, () => ({ endpoint, parameters: parametersOf(pattern) }));
          pending.push({ endpoint, factory: methods.absent });
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
      endpoint.manners = route.manners;
      endpoint.handle = route.handle;
    }
    this.#pending.delete(name);
  }

  #register(endpoint: Endpoint, method: Method): void {
    const { pattern } = endpoint;
    const known = this.paths.at(pattern, () => new Map<string, Registered>());
    if (known.has(method)) throw new Error(`two routes for ${method} ${pattern}`);
    const registered = { endpoint, parameters: parametersOf(pattern) };
    // HEAD works where GET does.
    for (const each of method === "GET" ? ["GET", "HEAD"] : [method]) known.set(each, registered);
  }
}
