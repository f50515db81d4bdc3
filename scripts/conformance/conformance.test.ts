/**
 * Good and bad requests by callers of every kind to every operation of the examples' OpenAPI documents, on a real server:
 * each answer must be one that the document describes. The requests are the same in every run.
 */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blog } from "../../generated/blog/realm.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import type { TestFunctions } from "../../runtime/functions/testing/threads.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { isFull, runs } from "../../runtime/testing/random.ts";
import { builtHandlers } from "../handlers.ts";
import { Description, type Operation } from "./description.ts";
import { ask, type Received, type Sent, send } from "./exchange.ts";
import { codeOf, problemsOf } from "./judge.ts";
import { plans } from "./requests.ts";
import { World } from "./world.ts";

const seed = Number(process.env["CONFORMANCE_SEED"] ?? 20_260_101);

/** Requests to each operation, and to those with a `where`. */
const rounds = runs(60);
const queries = runs(180);

let handlers: TestFunctions;
let server: Started<HeldClock>;
beforeAll(async () => {
  handlers = await builtHandlers(fileURLToPath(new URL("../../examples", import.meta.url)), "helpdesk");
  server = await startRealm([blog, helpdesk, inventory], {
    functionFiles: handlers,
    // One for each function.
    settings: { functionWorkers: 5 },
  });
});
afterAll(async () => {
  await server.stop();
  handlers.discard();
});

/** Codes whose answers need a race, a failure or a certain state to come about; they have tests of their own. */
const rare = new Set([
  "aggregate_too_expensive",
  "conflict",
  "email_taken",
  "expand_too_large",
  "function_timeout",
  "id_taken",
  "idempotency_key_reused",
  "index_building",
  "internal_error",
  "invalid_output",
  "invitations_limit",
  "realtime_not_enabled",
  "realtime_unavailable",
  "request_in_progress",
  "search_too_expensive",
  "team_limit_reached",
  "too_many_requests",
  "too_many_subscriptions",
  "unavailable",
  "write_conflict",
]);

/** Codes of all realms: those that documents promise, and those that came. */
const promised = new Set<string>();
const answered = new Set<string>();

const realms = [
  { module: blog, other: "helpdesk" },
  { module: helpdesk, other: "blog" },
  { module: inventory, other: "blog" },
];

describe.each(realms)(
  "Versioning 3: the OpenAPI document of $module.definition.name",
  ({ module, other }) => {
    const description = Description.of(module);
    const { operations } = description;

    let world: World;
    beforeAll(async () => {
      world = await World.open(server, module, other);
    });

    it("describes every answer to every request, and each operation succeeds", {
      timeout: 120_000,
    }, async () => {
      const planned = operations.map((operation) => ({
        operation,
        plans: plans(description, operation, requestsTo(operation), seedOf(operation)),
      }));
      const problems: string[] = [];
      const succeeded = new Set<string>();
      for (let round = 0; round < queries; round += 1) {
        for (const { operation, plans } of planned) {
          const plan = plans[round];
          if (plan === undefined) continue;
          const { sent, received } = await send(world, operation, plan);
          const found = problemsOf(operation, sent, received);
          if (found.length > 0) problems.push(report(operation, sent, received, found));
          const code = codeOf(received);
          if (code !== undefined) answered.add(code);
          else if (received.status < 300) succeeded.add(operation.id);
        }
      }
      expect(problems).toEqual([]);
      // Few requests need not hold one of each that succeeds.
      if (isFull) expect(operations.map(({ id }) => id).filter((id) => !succeeded.has(id))).toEqual([]);
      for (const { responses } of operations) {
        for (const { codes } of responses.values()) for (const code of codes) promised.add(code);
      }
    });

    it("names all methods of its paths: others are 405 with Allow, and HEAD is as GET", async () => {
      for (const path of new Set(operations.map((operation) => operation.path))) {
        const methods = new Set(operations.filter((each) => each.path === path).map(({ method }) => method));
        if (methods.has("GET")) methods.add("HEAD");
        const address = path.replace(/\{\w+\}/g, "none");
        for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
          const { status, headers } = await ask(world, method, address, new Headers());
          const expected = method === "OPTIONS" ? 204 : 405;
          const allow = headers.get("allow")?.split(", ").sort();
          if (methods.has(method)) expect(status, `${method} ${path}`).not.toBe(405);
          else
            expect([status, allow], `${method} ${path}`).toEqual([expected, [...methods, "OPTIONS"].sort()]);
        }
        if (!methods.has("GET")) continue;
        const [get, head] = [
          await ask(world, "GET", address, new Headers()),
          await ask(world, "HEAD", address, new Headers()),
        ];
        expect(head.text).toBe("");
        for (const name of ["etag", "cache-control", "vary", "content-type"]) {
          expect([head.status, head.headers.get(name)], path).toEqual([get.status, get.headers.get(name)]);
        }
      }
    });
  },
);

// It takes all requests for every code to come.
it.runIf(isFull)("Versioning 3: no code is promised that never comes", () => {
  expect([...promised].filter((code) => !answered.has(code) && !rare.has(code))).toEqual([]);
});

/** Requests to an operation are the same, whatever others there are. */
function seedOf({ id }: Operation): number {
  return [...id].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) | 0, seed);
}

/** Each password costs tens of milliseconds. */
function requestsTo({ id, query, path }: Operation): number {
  if (costly.has(id)) return runs(20);
  // By administrators the same queries are asked.
  return query.some(({ name }) => name === "where") && !path.includes("/_admin/") ? queries : rounds;
}

const costly = new Set([
  "signUp",
  "logIn",
  "reauthenticate",
  "changePassword",
  "resetPassword",
  "adminCreateUser",
]);

function report(
  { id, method }: Operation,
  { plan, path, body }: Sent,
  { status, text }: Received,
  problems: readonly string[],
): string {
  const asked = `${id}: ${method} ${path} by ${plan.caller}, ${JSON.stringify(plan.headers)}`;
  const brought = body === undefined ? "" : `, ${body.media} ${body.text.slice(0, 300)}`;
  return `${problems.join("; ")}\n${asked}${brought}\n${status} ${text.slice(0, 300)}\n`;
}
