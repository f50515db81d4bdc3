import * as contract from "../../contract/tokens.ts";
import { ApiError } from "../../errors.ts";
import { and, eq, type Filter } from "../../filter/algebra.ts";
import type { BodyOf, ReadBody, Tell } from "../../http/contract-body.ts";
import type { JsonValue } from "../../json.ts";
import { type AdminArea, adminAreas, areasAmong } from "../../realm/administration.ts";
import type { KeyScopes, SessionCaller, TokenScopes } from "../../realm/caller.ts";
import { longBackoff, Outdated, optimistic } from "../../retry.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { type AuditEntry, type AuditedRequest, appendAudit } from "../administration/audit.ts";
import { collections, keyFields } from "../collections.ts";
import { sessionRoute } from "../contracted.ts";
import { ending, rotation } from "../key-changes.ts";
import { type KeyRecord, readKey, writeKey } from "../key-records.ts";
import { keyView, keyViews, shownOnce } from "../key-views.ts";
import { makeKey, type NewKey } from "../keys.ts";
import { findOne } from "../matching.ts";
import { askedKey, judgeKey, readOverlap, roomForKey, withFreeKeyName } from "../own-keys.ts";
import { answerEntries, currentKeys, lists, pageRequest } from "../paging.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import { type Read, type UserRecord, writeUser } from "../records.ts";
import { accesses, coversTargets, readScopes } from "../scopes.ts";
import { administrationOfRoles, heldRoles } from "../users.ts";
import { currentUser, requireGoingOn } from "./current.ts";

/** Personal tokens: keys that users make for themselves, each of which always acts as its user. */

/** A user's. */
export function tokensOf(user: string): Filter {
  return and(eq(keyFields.subject, user), eq(keyFields.kind, "personal"));
}

export const listTokens = sessionRoute(
  contract.listTokens,
  inRealm((realm) => async ({ query }, { user }) => {
    const own = and(tokensOf(user.id), currentKeys);
    return answerEntries(realm, lists.keys, own, pageRequest(query), (records) =>
      keyViews(realm.store, records, keyView),
    );
  }),
);

export const createToken = sessionRoute(
  contract.createToken,
  inRealm((realm) => async ({ exchange, body }, caller) => {
    const asked = readToken(realm, body);
    const binding = { kind: "personal", user: caller.user.id } as const;
    const now = realm.clock.now();
    const { token, record } = makeKey({ ...asked, binding }, caller.actor, now, realm.newId);
    await changeTokens(realm, caller, async (user) => {
      requireHeld(realm, user, record.scopes?.admin);
      const makeRoom = await roomForKey(realm, tokensOf(user.id));
      const { name, scopes, networks, expires_at } = record;
      const details = { name, scopes: scopes && { ...scopes }, networks, expires_at };
      return {
        entry: { action: "token.create", target: targetOf(record), details },
        exchange,
        write: async (transaction) => {
          await makeRoom(transaction);
          await transaction.collection(collections.keys).insert(writeKey(record, 1));
        },
      };
    });
    return shownOnce(token, keyView(record, undefined));
  }),
);

export const rotateToken = sessionRoute(
  contract.rotateToken,
  inRealm((realm) => async ({ exchange, params, body }, caller) => {
    const overlap = readOverlap(body);
    const { token, record } = await changeTokens(realm, caller, async () => {
      const rotated = await rotation(realm, await findToken(realm, caller, params.id), overlap);
      const { record: after } = rotated;
      return {
        ...rotated,
        entry: { action: "token.rotate", target: targetOf(after), details: {} },
        exchange,
      };
    });
    const [view] = await keyViews(realm.store, [record], keyView);
    return shownOnce(token, view ?? {});
  }),
);

export const revokeToken = sessionRoute(
  contract.revokeToken,
  inRealm((realm) => async ({ exchange, params }, caller) => {
    await changeTokens(realm, caller, async () => {
      const ended = await ending(realm.store, and(eq(keyFields.key, params.id), tokensOf(caller.user.id)));
      const [record] = ended.records;
      if (record === undefined) throw noSuchToken();
      const { name } = record;
      return {
        ...ended,
        entry: { action: "token.revoke", target: targetOf(record), details: { name } },
        exchange,
      };
    });
  }),
);

/** What is to become of a user's tokens. */
interface Change {
  readonly write: (transaction: Transaction) => Promise<void>;
  readonly entry: AuditEntry;
  readonly exchange: AuditedRequest;
}

/**
 * Changes a user's tokens. The user's record is the lock of them all: what `decide` read is so at the moment of the change,
 * and the session that asks has not been ended since.
 * @throws ApiError `unauthenticated` | `write_conflict` | what `decide` throws
 */
async function changeTokens<C extends Change>(
  realm: AccountRealm,
  caller: SessionCaller,
  decide: (user: UserRecord) => Promise<C>,
): Promise<C> {
  const { store } = realm;
  return withFreeKeyName(() =>
    optimistic(longBackoff, async () => {
      const { record: user, version } = await currentUser(store, caller);
      await requireGoingOn(store, caller, user);
      const change = await decide(user);
      await store.transaction(async (transaction) => {
        const users = transaction.collection(collections.users);
        if (!(await users.replace(version, writeUser(user, version + 1)))) throw new Outdated();
        await change.write(transaction);
        await appendAudit(realm, transaction, change.exchange, caller, change.entry);
      });
      return change;
    }),
  );
}

/** @throws ApiError `not_found` for one that is another's, or over */
async function findToken(
  { store, clock }: AccountRealm,
  { user }: SessionCaller,
  id: string,
): Promise<Read<KeyRecord>> {
  const found = await findOne(store, collections.keys, and(eq(keyFields.key, id), tokensOf(user.id)));
  const read = found && readKey(found);
  if (read === undefined || Date.parse(read.record.expires_at ?? "") <= clock.now()) throw noSuchToken();
  return read;
}

function noSuchToken(): ApiError {
  return new ApiError("not_found", "There is no such token.");
}

/** Names are those of one user: in the audit trail, tokens have their ids. */
function targetOf({ key }: KeyRecord): string {
  return `token:${key}`;
}

type Asked = BodyOf<typeof contract.createToken>;

/** @throws ApiError `validation_error` */
function readToken(realm: AccountRealm, body: ReadBody<Asked>): NewKey {
  const { tokens: { scopes: ceiling } = {} } = realm.accounts;
  const asked = body((given, tell) => {
    const { admin, ...targets } = given.scopes ?? {};
    judgeKey(realm, { ...given, scopes: given.scopes && targets }, tell);
    if (admin !== undefined) judgeAreas(admin, ceiling, tell);
    if (ceiling !== undefined) judgeTargets(readScopes(targets).scopes, ceiling, tell);
  });
  const { admin, ...targets } = asked.scopes ?? {};
  const { scopes, ...key } = askedKey(realm, { ...asked, scopes: asked.scopes && targets });
  const areas = Array.isArray(admin) && areasAmong(admin);
  return { ...key, ...(scopes && { scopes: { ...scopes, ...(areas && { admin: areas }) } }) };
}

function judgeAreas(asked: JsonValue, ceiling: TokenScopes | undefined, tell: Tell): void {
  if (!Array.isArray(asked)) {
    tell("scopes.admin", "must be an array of areas");
    return;
  }
  const known: readonly JsonValue[] = adminAreas;
  const lent: readonly JsonValue[] = ceiling === undefined ? adminAreas : (ceiling.admin ?? []);
  const unknown = asked.findIndex((area) => !known.includes(area));
  if (unknown >= 0) tell(`scopes.admin.${unknown}`, `must be one of ${adminAreas.join(", ")}`);
  const further = asked.findIndex((area) => !lent.includes(area));
  if (further >= 0) tell(`scopes.admin.${further}`, beyond);
}

function judgeTargets(asked: KeyScopes, ceiling: TokenScopes, tell: Tell): void {
  for (const access of accesses) {
    const [targets, most] = [asked[access], ceiling[access]];
    if (targets === "*" && most !== "*") tell(`scopes.${access}`, beyond);
    if (targets === undefined || targets === "*") continue;
    const further = targets.findIndex((target) => !coversTargets(most, [target]));
    if (further >= 0) tell(`scopes.${access}.${further}`, beyond);
  }
}

const beyond = "is more than personal tokens may in this realm";

/**
 * Nobody lends a token what they do not hold.
 * @throws ApiError `forbidden`
 */
function requireHeld({ accounts }: AccountRealm, user: UserRecord, areas: readonly AdminArea[] = []): void {
  const held = administrationOfRoles(heldRoles(user, accounts), accounts);
  if (areas.every((area) => held?.see.has(area))) return;
  throw new ApiError("forbidden", "You do not administer these areas yourself.");
}
