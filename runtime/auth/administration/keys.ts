import * as contract from "../../contract/keys.ts";
import { ApiError } from "../../errors.ts";
import { eq } from "../../filter/algebra.ts";
import type { BodyOf, ReadBody, Tell } from "../../http/contract-body.ts";
import type { JsonValue } from "../../json.ts";
import { adminAreas, areasAmong } from "../../realm/administration.ts";
import { keyOf } from "../../realm/caller.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { collections, keyFields } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { type KeyRecord, readKey } from "../key-records.ts";
import { keyViews, operatorView, shownOnce } from "../key-views.ts";
import {
  KeyNameTaken,
  keyFacts,
  keyNameTaken,
  keyProblems,
  keyProblemsIn,
  makeKey,
  type NewKey,
  storeKey,
} from "../keys.ts";
import { findOne } from "../matching.ts";
import { answerEntries, currentKeys, lists, pageRequest } from "../paging.ts";
import { type Access, accesses, permitsAny, readScopes, scopesCover } from "../scopes.ts";
import type { Administrator } from "./administrator.ts";
import { appendAudit, auditRecord } from "./audit.ts";

export const listKeys = administratorRoute(
  contract.listKeys,
  (realm) =>
    async ({ query }) =>
      answerEntries(realm, lists.keys, currentKeys, pageRequest(query), (records) =>
        keyViews(realm.store, records, operatorView),
      ),
);

export const createKey = administratorRoute(
  contract.createKey,
  (realm) =>
    async ({ exchange, body }, administrator) => {
      const now = realm.clock.now();
      const key = readKeyBody(body, realm, now);
      requireRights(administrator, key);
      const { token, record } = makeKey(key, administrator.caller.actor, now, realm.newId);
      const audit = auditRecord(realm, exchange, administrator.caller, {
        action: "key.create",
        target: `key:${record.name}`,
        details: keyFacts(record),
      });
      try {
        await storeKey(realm.store, record, audit);
      } catch (error) {
        if (error instanceof KeyNameTaken) throw keyNameTaken();
        throw error;
      }
      return shownOnce(token, operatorView(record, undefined));
    },
);

export const revokeKey = administratorRoute(
  contract.revokeKey,
  (realm) =>
    async ({ exchange, params }, { caller, administration }) => {
      const key = await findKey(realm, params.id);
      if (key === undefined) throw noSuchKey();
      if (key.admin !== false && !administration.full) {
        throw new ApiError("forbidden", "Only full administrators revoke keys with administration.");
      }
      const revoked = await realm.store.transaction(async (transaction) => {
        if (!(await transaction.collection(collections.keys).remove(key.id))) return false;
        const target = `key:${key.name}`;
        await appendAudit(realm, transaction, exchange, caller, { action: "key.revoke", target });
        return true;
      });
      if (!revoked) throw noSuchKey();
    },
);

function noSuchKey(): ApiError {
  return new ApiError("not_found", "There is no such key.");
}

/** Keys never change: what is read of one stays true until it is gone. */
async function findKey({ store }: RealmInstance, id: string): Promise<KeyRecord | undefined> {
  const found = await findOne(store, collections.keys, eq(keyFields.key, id));
  return found === undefined ? undefined : readKey(found).record;
}

type Asked = BodyOf<typeof contract.createKey>;

/** @throws ApiError `validation_error` */
function readKeyBody(body: ReadBody<Asked>, { definition }: RealmInstance, now: number): NewKey {
  const asked = body((given, tell) => {
    const problems = given.scopes ? readScopes(given.scopes).problems : [];
    judgeAdmin(given.admin ?? false, tell);
    const key = newKeyOf({ ...given, name: given.name ?? "" });
    for (const { path, reason } of [...problems, ...keyProblems(key, now), ...keyProblemsIn(definition, key)])
      tell(path, reason);
  });
  return newKeyOf(asked);
}

function newKeyOf({ name, scopes, admin, networks, expires_at, on_behalf_of }: Asked): NewKey {
  return {
    name,
    scopes: scopes ? readScopes(scopes).scopes : undefined,
    admin: Array.isArray(admin) ? areasAmong(admin) : admin === true,
    networks: networks ?? undefined,
    expiresAt: typeof expires_at === "string" ? Date.parse(expires_at) : undefined,
    onBehalfOf: on_behalf_of,
  };
}

function judgeAdmin(value: JsonValue, tell: Tell): void {
  if (typeof value === "boolean") return;
  if (!Array.isArray(value)) {
    tell("admin", "must be true, false or an array of areas");
    return;
  }
  const known: readonly JsonValue[] = adminAreas;
  const unknown = value.findIndex((area) => !known.includes(area));
  if (unknown >= 0) tell(`admin.${unknown}`, `must be one of ${adminAreas.join(", ")}`);
}

/**
 * Nobody gives a key more than they hold, over data neither (spec: Authentication 10; api-decisions: Scopes of a key).
 * @throws ApiError `forbidden`
 */
function requireRights(maker: Administrator, key: NewKey): void {
  const { caller, administration } = maker;
  const { full, change } = administration;
  if (key.admin !== false && !full) throw beyond("Only full administrators make keys with administration.");
  const further = accesses.find((access) => permitsAny(key.scopes, access) && !reachesData(maker, access));
  if (further !== undefined) {
    const scope = key.scopes === undefined ? "A key without scopes" : `The scope ${further} of a key`;
    throw beyond(`${scope} needs administration of the area data.`);
  }
  if (!scopesCover(keyOf(caller)?.scopes, key.scopes)) {
    throw beyond("A key cannot make one that its own scopes do not cover.");
  }
  // Who administers users can become one by other ways too.
  const mayDelegate = full || change.has("users") || (caller.kind === "key" && caller.delegates !== false);
  if (key.onBehalfOf && !mayDelegate) {
    throw beyond("A key that acts for users needs administration of the area users.");
  }
}

/** Functions reach data by themselves: they are for who reaches it all, or, among keys, for those that may call them. */
function reachesData({ caller, administration: { see, change } }: Administrator, access: Access): boolean {
  if (access === "read") return see.has("data");
  return change.has("data") || (access === "call" && caller.kind === "key");
}

function beyond(message: string): ApiError {
  return new ApiError("forbidden", message);
}
