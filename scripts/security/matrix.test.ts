/**
 * Function-level and object-level authorization: every operation of the realms' OpenAPI documents, tried by callers with
 * every kind of credential. What they are to be answered is in `table.ts` and `documents.ts`; those who are refused must
 * change nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import { Description } from "../conformance/description.ts";
import { type Caller, callersOf, populate, withKeysOfTenants } from "./callers.ts";
import { compileFort } from "./compiled.ts";
import { send } from "./send.ts";
import { snapshot } from "./snapshot.ts";
import { manyStreams } from "./streams.ts";
import { Targets } from "./targets.ts";
import { sentBy, type Use, usesOf } from "./uses.ts";

const fort = withKeysOfTenants(await compileFort());
const desk = withKeysOfTenants(helpdesk);

let server: Started<HeldClock>;
beforeAll(async () => {
  // Many ask from one address, and no time passes.
  server = await startRealm([fort, desk, inventory], { settings: manyStreams });
  for (const { module } of realms) await populate(server, module.definition);
});
afterAll(() => server.stop());

const realms = [
  { module: fort, other: "helpdesk" },
  { module: desk, other: "fort" },
  { module: inventory, other: "fort" },
];

describe.each(realms)("Authorization in $module.definition.name", ({ module, other }) => {
  const { definition } = module;
  const realm = { name: definition.name, auth: definition.accounts !== undefined };
  const { operations } = Description.of(module);
  const paths = new Set(operations.map(({ path }) => path));
  const uses = operations.flatMap((operation) =>
    usesOf(operation, realm, (path) => paths.has(`${path}/restore`)).map((use) => ({ operation, use })),
  );

  let callers: readonly Caller[];
  let targets: Targets;
  /** The last operation may have ended sessions. */
  let ended = false;
  beforeAll(async () => {
    callers = await callersOf(server, definition, other);
    const operator = { name: "operator", admin: true, onBehalfOf: true };
    const key = await createKey(server.store(realm.name), server.clock, operator);
    targets = new Targets(server, definition, key);
  });

  it.each(uses.map(({ use }) => ({ title: use.title, use })))(
    "$title",
    { timeout: 120_000 },
    async ({ use }) => {
      const refused = callers.filter((caller) => isRefusal(use.answer(caller)));
      const admitted = callers.filter((caller) => !refused.includes(caller));
      const anew = ended || endsSessions(use);
      ended = endsSessions(use);
      const answers = new Map<string, string>();
      // All is made before, so that only the requests themselves could change anything.
      const [first] = refused;
      const target = first === undefined ? "" : await use.path(targets, first);
      const asked = [];
      for (const caller of refused) asked.push({ caller, headers: await caller.headers(anew) });
      const before = await snapshot(server.store(realm.name), definition);
      for (const { caller, headers } of asked) {
        answers.set(caller.name, await ask(use, target, headers, caller));
      }
      expect(await snapshot(server.store(realm.name), definition)).toEqual(before);
      for (const caller of admitted) {
        const path = await use.path(targets, caller);
        const headers = await caller.headers(anew);
        answers.set(caller.name, await ask(use, path, headers, caller));
      }
      const expected = callers.map((caller) => [caller.name, use.answer(caller)]);
      expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(expected));
    },
  );

  it("is what the OpenAPI document declares", () => {
    for (const { operation, declared } of operations.map((each) => ({
      operation: each,
      declared: each.security,
    }))) {
      const mine = uses.filter((each) => each.operation === operation).map(({ use }) => use);
      expect(new Set(declared), `${operation.method} ${operation.path}`).toEqual(
        schemesOf(mine, definition, callers),
      );
    }
  });
});

/** Perhaps: for all that we know, whatever changes something about one's own account. */
function endsSessions({ method, title }: Use): boolean {
  return method !== "GET" && title.includes(" /_auth/");
}

/** A refusal for who the caller is, and not for what was sent. */
function isRefusal(answer: string): boolean {
  return /^40[134] |^400 invalid_(?:header|id)$/.test(answer);
}

/** The security schemes that an operation must declare: those of the callers who get anywhere with it. */
function schemesOf(
  uses: readonly Use[],
  { accounts }: RealmDefinition,
  callers: readonly Caller[],
): ReadonlySet<string> {
  // What looks at no credential declares none.
  if (uses.every((use) => callers.every((caller) => !isRefusal(use.answer(caller))))) return new Set();
  const admitted = callers.filter((caller) =>
    uses.some((use) => !isRefusal(use.answer(caller)) || use.answer(caller).endsWith(" reauth_required")),
  );
  return new Set(
    admitted.flatMap(({ credential: { kind } }) => {
      if (kind === "none") return ["anonymous"];
      if (kind === "session")
        return accounts?.cookie === undefined ? ["session"] : ["session", "session_cookie"];
      // The documents are of the configuration, which offers none.
      if (kind === "token" || kind === "service") return [];
      return ["api_key"];
    }),
  );
}

async function ask(use: Use, path: string, headers: Record<string, string>, caller: Caller): Promise<string> {
  const { headers: own, ...body } = sentBy(use, caller);
  const sent = { headers: { ...own, ...headers }, ...body };
  return (await send(use.method, server.url + path, sent)).outcome;
}
