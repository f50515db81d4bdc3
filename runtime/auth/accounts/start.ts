import { timestamp } from "../../clock.ts";
import type { ReadBody } from "../../http/contract-body.ts";
import type { SessionCaller } from "../../realm/caller.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { Headed } from "../contracted.ts";
import { type CookieSettings, endedCookie, requireOrigin, sessionCookie } from "../credentials/cookie.ts";
import { newToken, tokenHash } from "../credentials/tokens.ts";
import type { AccountRealm } from "../realm.ts";
import type { SessionRecord, UserRecord } from "../records.ts";
import { userView } from "../users.ts";

/** Characters of a `User-Agent` that are kept. */
const userAgentLength = 256;

/** A session that begins, with its token, which only the answer to this request carries. */
export interface NewSession {
  readonly token: string;
  readonly record: SessionRecord;
}

export function newSession(realm: AccountRealm, exchange: Exchange, user: UserRecord): NewSession {
  const now = realm.clock.now();
  const token = newToken("svs");
  const record = {
    id: tokenHash(token),
    session: realm.newId(),
    user: user.id,
    generation: user.generation,
    created_at: timestamp(now),
    last_used_at: timestamp(now),
    expires_at: timestamp(now + realm.accounts.sessionLifetime),
    user_agent: exchange.headers["user-agent"]?.slice(0, userAgentLength) ?? null,
    address: exchange.address,
    mfa: false,
    proved_at: timestamp(now),
    administered_at: timestamp(now),
  };
  return { token, record };
}

/**
 * Reads a body whose member `cookie` says whether the session comes as a cookie, and answers the cookie settings if so.
 * @throws ApiError `validation_error`, also for `cookie: true` where cookies are off; `forbidden` for a cookie asked for
 * by no listed origin.
 */
export function readWithCookie<Body extends { readonly cookie?: boolean | undefined }>(
  { accounts, definition }: AccountRealm,
  exchange: Exchange,
  body: ReadBody<Body>,
): { readonly given: Body; readonly cookie: CookieSettings | undefined } {
  const given = body(({ cookie }, tell) => {
    if (cookie && accounts.cookie === undefined) tell("cookie", "this realm has no session cookies");
  });
  if (!given.cookie) return { given, cookie: undefined };
  requireOrigin(exchange, definition.origins);
  return { given, cookie: accounts.cookie };
}

/**
 * `{user, session}`; the token is in the body, or, where `cookie` is given, in a cookie alone.
 * @param more further members of the answer
 */
export function sessionAnswer(
  realm: AccountRealm,
  user: UserRecord,
  { token, record }: NewSession,
  cookie: CookieSettings | undefined,
  more: object = {},
): object {
  const session = {
    ...(cookie === undefined && { token }),
    id: record.session,
    expires_at: record.expires_at,
  };
  const begun = { user: userView(user, realm.accounts), session, ...more };
  if (cookie === undefined) return begun;
  const { sessionLifetime } = realm.accounts;
  return new Headed(
    { "set-cookie": sessionCookie(realm.definition.name, cookie, token, sessionLifetime) },
    begun,
  );
}

/** Of a session that has ended: where it came as a cookie, that is taken back. */
export function endedAnswer(
  { accounts: { cookie }, definition }: AccountRealm,
  { credential }: SessionCaller,
): Headed | undefined {
  if (!credential.cookie || cookie === undefined) return undefined;
  return new Headed({ "set-cookie": endedCookie(definition.name, cookie) });
}
