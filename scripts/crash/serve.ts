/** What the server programs of these tests share: `<realm> [key create …]`, a realm in which anybody may sign up. */
import { accountRoutes } from "../../runtime/auth/accounts/routes.ts";
import { main } from "../../runtime/instance/main.ts";
import type { CollectionDefinition, RealmDefinition } from "../../runtime/realm/definition.ts";
import type { RouteTable } from "../../runtime/realm/exchange.ts";

const day = 86_400_000;
const many = { limit: 9_999, period: 3_600_000 };

/** The realm of the command line, which is left to the server without it. */
export function realmAsked(): string {
  const [node = "", script = "", realm = "", ...words] = process.argv;
  process.argv = [node, script, ...words];
  return realm;
}

/**
 * @param routes beside those of accounts
 * @param more of the realm
 */
export async function serve(
  realm: string,
  collections: readonly CollectionDefinition[],
  routes: readonly RouteTable[],
  more: Pick<RealmDefinition, "storage"> = {},
): Promise<void> {
  const accounts = {
    signup: "open",
    signupLimit: { address: many, network: many },
    roles: [],
    defaultRoles: [],
    sessionLifetime: day,
    sessionIdleTimeout: day,
    adminIdleTimeout: day,
    adminMaxLifetime: day,
    readAccess: [],
  } as const;
  const definition = {
    name: realm,
    accounts,
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    ...more,
    collections,
  };
  await main({ fingerprint: "crash", realms: [{ definition, routes: [accountRoutes(realm), ...routes] }] });
}
