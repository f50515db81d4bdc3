import * as contract from "../../contract/keys.ts";
import { ApiError } from "../../errors.ts";
import { eq } from "../../filter/algebra.ts";
import type { BodyOf, ReadBody, Tell } from "../../http/contract-body.ts";
import type { JsonValue } from "../../json.ts";
import { adminAreas, areasAmong } from "../../realm/administration.ts";
import { keyOf } from "../../realm/caller.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { keyFields } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { isOperators, type KeyRecord } from "../key-records.ts";
import { endKey, holderFacts, rotateKey as rotate, storeKey } from "../key-storing.ts";
import { keyViews, operatorView, shownOnce } from "../key-views.ts";
import {
  bothPins,
  KeyNameTaken,
  keyFacts,
  keyNameTaken,
  keyProblems,
  keyProblemsIn,
  makeKey,
  type NewKey,
  pinOf,
  warningsOf,
} from "../keys.ts";
import { readOverlap } from "../own-keys.ts";
import { answerEntries, currentKeys, lists, pageRequest } from "../paging.ts";
import { type Access, accesses, permitsAny, readScopes, scopesCover } from "../scopes.ts";
import type { Administrator } from "./administrator.ts";
import { appendAudit, auditRecord } from "./audit.ts";
import { callBeyond } from "./callable.ts";

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
      await requireRights(realm, administrator, key);
      const { token, record } = makeKey(key, administrator.caller.actor, now, realm.newId);
      const audit = auditRecord(realm, exchange, administrator.caller, {
        action: "key.create",
        target: `key:${record.name}`,
        details: keyFacts(record),
      });
      try {
        await storeKey(realm, record, { audit, grant: key.grant });
      } catch (error) {
        if (error instanceof KeyNameTaken) throw keyNameTaken();
        throw error;
      }
      const warnings = warningsOf(realm.definition, record);
      const made = shownOnce(token, operatorView(record, undefined));
      return { ...made, ...(warnings.length > 0 && { warnings }) };
    },
);

/** Who rotates a key has it then: nobody has so what they could not make. */
export const rotateKey = administratorRoute(
  contract.rotateKey,
  (realm) =>
    async ({ exchange, params, body }, administrator) => {
      const overlap = readOverlap(body);
      const judge = async (key: KeyRecord) => {
        if (!isOperators(key)) throw beyond("Keys of users and organizations are rotated by those.");
        await requireRights(realm, administrator, askedOf(key));
      };
      const rotated = await rotate(
        realm,
        eq(keyFields.key, params.id),
        overlap,
        judge,
        (transaction, { name }) =>
          appendAudit(realm, transaction, exchange, administrator.caller, {
            action: "key.rotate",
            target: `key:${name}`,
          }),
      );
      if (rotated === undefined) throw noSuchKey();
      const { token, record } = rotated;
      const [entry = {}] = await keyViews(realm.store, [record], operatorView);
      return shownOnce(token, entry);
    },
);

/** What somebody who makes a key like this one asks for. */
function askedOf({ name, admin, binding, on_behalf_of, scopes }: KeyRecord): NewKey {
  return {
    name,
    admin,
    onBehalfOf: on_behalf_of,
    binding: binding ?? undefined,
    scopes: scopes ?? undefined,
  };
}

export const revokeKey = administratorRoute(
  contract.revokeKey,
  (realm) =>
    async ({ exchange, params }, { caller, administration }) => {
      const judge = ({ admin }: KeyRecord) => {
        if (admin !== false && !administration.full)
          throw beyond("Only full administrators revoke keys with administration.");
      };
      const revoked = await endKey(realm, params.id, judge, (transaction, key) =>
        appendAudit(realm, transaction, exchange, caller, {
          action: "key.revoke",
          target: `key:${key.name}`,
          details: holderFacts(key),
        }),
      );
      if (!revoked) throw noSuchKey();
    },
);

function noSuchKey(): ApiError {
  return new ApiError("not_found", "There is no such key.");
}

type Asked = BodyOf<typeof contract.createKey>;

/** @throws ApiError `validation_error` */
function readKeyBody(body: ReadBody<Asked>, { definition }: RealmInstance, now: number): NewKey {
  const asked = body((given, tell) => {
    const problems = given.scopes ? readScopes(given.scopes).problems : [];
    judgeAdmin(given.admin ?? false, tell);
    if (typeof given.user === "string" && typeof given.org === "string") tell(bothPins.path, bothPins.reason);
    const key = newKeyOf({ ...given, name: given.name ?? "" });
    for (const { path, reason } of [...problems, ...keyProblems(key, now), ...keyProblemsIn(definition, key)])
      tell(path, reason);
  });
  return newKeyOf(asked);
}

function newKeyOf(asked: Asked): NewKey {
  const { name, scopes, admin, networks, expires_at, on_behalf_of, user, org, roles, teams } = asked;
  return {
    name,
    scopes: scopes ? readScopes(scopes).scopes : undefined,
    admin: Array.isArray(admin) ? areasAmong(admin) : admin === true,
    networks: networks ?? undefined,
    expiresAt: typeof expires_at === "string" ? Date.parse(expires_at) : undefined,
    onBehalfOf: on_behalf_of === "required" ? "required" : on_behalf_of === true,
    binding: pinOf(user, org),
    grant: { roles: roles ?? [], teams: [...new Set(teams)] },
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
 * @throws (rejects with) ApiError `forbidden`
 */
async function requireRights(realm: RealmInstance, maker: Administrator, key: NewKey): Promise<void> {
  const { caller, administration } = maker;
  const { full, change } = administration;
  if (key.admin !== false && !full) throw beyond("Only full administrators make keys with administration.");
  const further = accesses.find((access) => asksForData(key, access) && !reachesData(maker, access));
  if (further !== undefined) {
    const scope = key.scopes === undefined ? "A key without scopes" : `The scope ${further} of a key`;
    throw beyond(`${scope} needs administration of the area data.`);
  }
  if (!scopesCover(keyOf(caller)?.scopes, key.scopes)) {
    throw beyond("A key cannot make one that its own scopes do not cover.");
  }
  const beyondMaker = await callBeyond(realm, caller, key.scopes);
  if (beyondMaker !== undefined) throw beyond(`Who makes the key may not invoke ${beyondMaker} themselves.`);
  // Who administers users can become one by other ways too.
  const mayDelegate = full || change.has("users") || (caller.kind === "key" && caller.delegates !== false);
  if ((key.onBehalfOf || key.binding !== undefined) && !mayDelegate) {
    throw beyond(
      "A key that acts for users, or for an organization, needs administration of the area users.",
    );
  }
}

/** Calls are asked for by their names, as what their maker may invoke; all of a database, or of the realm, is what there will be, too. */
function asksForData({ scopes }: NewKey, access: Access): boolean {
  if (!permitsAny(scopes, access)) return false;
  const granted = scopes?.[access];
  const areNamed = typeof granted === "object" && granted.every((each) => each.includes("/"));
  return access !== "call" || !areNamed;
}

/** Functions reach data by themselves: they are for who reaches it all, or, among keys, for those that may call them. */
function reachesData({ caller, administration: { see, change } }: Administrator, access: Access): boolean {
  if (access === "read") return see.has("data");
  return change.has("data") || (access === "call" && caller.kind === "key");
}

function beyond(message: string): ApiError {
  return new ApiError("forbidden", message);
}
