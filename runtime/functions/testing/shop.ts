import { administrationRoutes, userAdministrationRoutes } from "../../auth/administration/routes.ts";
import { type Shop, type ShopOptions, startShop, text } from "../../documents/testing/shop.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type {
  CallDefinition,
  EventDefinition,
  FunctionDefinition,
  FunctionLimits,
  WebhookDefinition,
} from "../../realm/functions.ts";
import { allowed } from "../../rules/index.ts";
import type { HostReply, HostRequest, Returned, Run } from "../invocation.ts";
import { functionRoutes } from "../routes.ts";
import { type Handle, InProcessRunner } from "./runner.ts";

const common = {
  realm: "shop",
  database: "main",
  timeout: 10_000,
  memory: 2 ** 27,
  concurrency: 8,
  scopes: { read: ["main"], write: ["main"] },
  secrets: [],
  network: [],
  mail: false,
};

/** A webhook of the test realm that anybody may call. */
export function webhook(name: string, more: Partial<WebhookDefinition> = {}): WebhookDefinition {
  return { ...common, name, mode: "webhook", invoke: allowed, ...more };
}

/** A call of the test realm that takes any input of anybody. */
export function call(name: string, more: Partial<CallDefinition> = {}): CallDefinition {
  const own = { invoke: allowed, idempotency: "optional", attempts: 5, validateInput: () => true } as const;
  return { ...common, name, mode: "call", ...own, ...more };
}

/** An event function of the test realm. */
export function event(name: string, more: Partial<EventDefinition> = {}): EventDefinition {
  return { ...common, name, mode: "event", triggers: [], attempts: 5, ...more };
}

/** A definition that leaves something out. */
export function without<T extends FunctionDefinition, Name extends keyof T>(
  definition: T,
  name: Name,
): Omit<T, Name> {
  const { [name]: _, ...rest } = definition;
  return rest;
}

/** What a call returns. */
export function output(value: JsonValue): Returned {
  return { kind: "call", output: JSON.stringify(value) };
}

export interface FunctionShopOptions extends ShopOptions {
  readonly auth?: "enabled" | "disabled";
  readonly collections?: readonly CollectionDefinition[];
  readonly limits?: FunctionLimits;
  /** Whether anything runs them; default: yes. */
  readonly runs?: boolean;
}

export interface FunctionShop extends Shop {
  readonly handlers: InProcessRunner;
}

/**
 * Starts the realm `shop` with functions, whose handlers run in this thread.
 * @param handles by the names of functions, in the database `main`
 */
export async function startFunctionShop(
  functions: readonly FunctionDefinition[],
  handles: Readonly<Record<string, Handle>>,
  { auth = "enabled", collections = [], limits, runs = true, ...options }: FunctionShopOptions = {},
): Promise<FunctionShop> {
  const handlers = new InProcessRunner(
    Object.fromEntries(Object.entries(handles).map(([name, handle]) => [`main/${name}`, handle])),
  );
  const shop = await startShop(auth, collections, {
    ...(runs && { runner: options.runner ?? handlers }),
    ...options,
    definition: {
      ...options.definition,
      functions,
      ...(limits !== undefined && { functionLimits: limits }),
    },
    routes: [
      functionRoutes("shop", functions),
      administrationRoutes("shop"),
      ...(auth === "enabled" ? [userAdministrationRoutes("shop")] : []),
      ...(options.routes ?? []),
    ],
  });
  return { ...shop, handlers };
}

/** What a handler gets of `ctx.db`, or of `ctx.caller.db`. */
export async function documents(
  run: Run,
  method: Extract<HostRequest, { kind: "documents" }>["method"],
  path: string,
  { as = "function", body, search = "", headers = {} }: DocumentOptions = {},
): Promise<HostReply & { readonly json: JsonObject }> {
  const content = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const reply = await run.host.answer({
    ...{ kind: "documents", as, method, path, search },
    headers: body === undefined ? headers : { "content-type": content, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { ...reply, json: reply.body === undefined ? {} : JSON.parse(reply.body) };
}

interface DocumentOptions {
  readonly as?: "function" | "caller";
  readonly body?: JsonObject;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The code of a reply's error. */
export function codeOf({ json }: { readonly json: JsonObject }): string {
  return text(json, "error", "code");
}

/** A handler that waits until it is let go. */
export class Slow {
  /** Resolves when one has begun. */
  readonly first: Promise<void>;
  letGo: () => void = () => undefined;
  readonly #open: Promise<void>;
  #begin: () => void = () => undefined;

  constructor() {
    this.first = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#open = new Promise((resolve) => {
      this.letGo = resolve;
    });
  }

  wait(): Promise<void> {
    this.#begin();
    return this.#open;
  }
}
