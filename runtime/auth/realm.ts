import type { AccountSettings } from "../realm/definition.ts";
import type { RealmInstance } from "../realm/exchange.ts";

/** A running realm that has accounts. */
export interface AccountRealm extends RealmInstance {
  readonly accounts: AccountSettings;
}

/** What is made for a realm that has accounts, as for any: no other has such routes. */
export function inRealm<T>(make: (realm: AccountRealm) => T): (realm: RealmInstance) => T {
  return (realm) => make(accountRealm(realm));
}

/** @throws Error for a realm with `auth: disabled`, whose emitted routes have none such. */
export function accountRealm(realm: RealmInstance): AccountRealm {
  const { accounts, name } = realm.definition;
  if (accounts === undefined) throw new Error(`realm ${name} has no accounts`);
  return { ...realm, accounts };
}
