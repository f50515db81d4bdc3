/** What each caller is to be answered, by the tables and by what counts of their credential; never by the answer itself. */
import type { KeyScopes } from "../../runtime/realm/caller.ts";
import type { Credential } from "./callers.ts";
import { type DocumentOperation, type Documents, outsider, successOf } from "./documents.ts";
import type { Own } from "./table.ts";

const unauthenticated = "401 unauthenticated";
const forbidden = "403 forbidden";

/** @param auth whether the realm has accounts: where it has none, credentials count for administration alone */
export function ownAnswer(own: Own, credential: Credential, auth: boolean): string {
  const { who, answer, session } = own;
  if (who === "public" || (who === "anybody" && !auth)) return answer;
  if (credential.kind === "bad")
    return credential.isForeign === true && isWebhook(who) ? answer : unauthenticated;
  if (credential.kind === "refused") return credential.answer;
  if (who === "anybody") return answer;
  if (typeof who === "object" && "calls" in who) return callAnswer(own, who.calls, credential);
  if (credential.kind === "none") return unauthenticated;
  if (typeof who === "object" && "queued" in who) return jobAnswer(own, who.queued, credential);
  if (who === "session") return credential.kind === "session" ? answer : forbidden;
  if ("organization" in who) return memberAnswer(own, who.organization, credential);
  // A key's administration is not lent to the user it acts for.
  if (credential.kind === "delegate" || credential.areas.see.length === 0) return forbidden;
  if (credential.kind === "session" && credential.lapsed) return "401 reauth_required";
  const areas = credential.areas[who.to];
  if (!areas.includes(who.area) && (who.or === undefined || !areas.includes(who.or))) return forbidden;
  // What a session has to prove itself for is nothing for its user's token.
  if (credential.kind === "token" && session !== undefined) return forbidden;
  return credential.kind === "session" ? (session ?? answer) : answer;
}

/** Webhooks are the functions that anybody calls. */
function isWebhook(who: Own["who"]): boolean {
  return typeof who === "object" && "calls" in who && who.calls === "anybody";
}

type Known = Exclude<Credential, { readonly kind: "bad" | "refused" }>;

function callAnswer({ answer }: Own, allowed: "users" | "anybody", credential: Known): string {
  if (credential.kind === "none") return allowed === "anybody" ? answer : unauthenticated;
  return credential.kind === "session" || mayCall(credential.scopes) ? answer : forbidden;
}

function jobAnswer(
  { answer }: Own,
  to: "see" | "change",
  credential: Exclude<Known, { readonly kind: "none" }>,
): string {
  const isLapsed = credential.kind === "session" && credential.lapsed === true;
  if (credential.kind !== "delegate" && !isLapsed && credential.areas[to].includes("functions"))
    return answer;
  if (credential.kind !== "session" && !mayCall(credential.scopes)) return forbidden;
  return "user" in credential && credential.user === "maker" ? answer : "404 not_found";
}

/** No scopes: everything. */
function mayCall(scopes: KeyScopes | undefined): boolean {
  return scopes === undefined || scopes.call !== undefined;
}

function memberAnswer(
  { answer, member }: Own,
  needed: "members" | "managers",
  credential: Exclude<Credential, { readonly kind: "none" | "bad" | "refused" }>,
): string {
  if (credential.kind !== "session") return forbidden;
  if (credential.user === "maker") return answer;
  if (credential.user !== "agent") return outsider;
  return needed === "members" ? (member ?? answer) : forbidden;
}

const reading: ReadonlySet<DocumentOperation> = new Set([
  ...(["list", "get", "aggregate", "check"] as const),
  "download",
]);

/** Past the rules: for administrators of the area `data`, and of keys for those whose scopes reach so far. */
export function dataAnswer(
  name: string,
  documents: Documents,
  operation: DocumentOperation,
  credential: Credential,
  auth: boolean,
): string {
  const answer = successOf(operation);
  const needed: Own = { who: { area: "data", to: reading.has(operation) ? "see" : "change" }, answer };
  const admitted = ownAnswer(needed, credential, auth);
  if (admitted !== answer) return admitted;
  if (credential.kind === "key") return keyAnswer(name, documents, operation, credential.scopes);
  return credential.kind === "token" && !permits(credential.scopes, operation, name) ? forbidden : admitted;
}

/**
 * @param name `<realm>/<database>/<collection>`
 * @param verdicts those of a field, of what is done in one
 */
export function documentAnswer(
  name: string,
  documents: Documents,
  operation: DocumentOperation,
  credential: Credential,
  verdicts = documents.verdicts[operation],
): string {
  if (verdicts === undefined) throw new Error(`nobody has decided who may ${operation} documents of ${name}`);
  switch (credential.kind) {
    case "none":
      return verdicts.anonymous;
    case "bad":
      return unauthenticated;
    case "refused":
      return credential.answer;
    case "session":
      return verdicts[credential.user] ?? verdicts.others;
    case "delegate":
    case "token":
      if (!permits(credential.scopes, operation, name)) return forbidden;
      return verdicts[credential.user] ?? verdicts.others;
    case "service":
      if (!permits(credential.scopes, operation, name)) return forbidden;
      // Members are told apart where there are some.
      return (credential.org === documents.organization ? verdicts["agent"] : undefined) ?? verdicts.others;
    case "key":
      return outside(documents, operation, keyAnswer(name, documents, operation, credential.scopes));
  }
}

/** Keys by themselves are members of nothing. */
function outside({ organization }: Documents, operation: DocumentOperation, answer: string): string {
  const isMaking = operation === "create" && organization !== undefined && answer === successOf(operation);
  return isMaking ? outsider : answer;
}

function keyAnswer(
  name: string,
  { keys }: Documents,
  operation: DocumentOperation,
  scopes: KeyScopes | undefined,
): string {
  return keys?.[operation] ?? (permits(scopes, operation, name) ? successOf(operation) : forbidden);
}

/** No scopes: everything. */
function permits(scopes: KeyScopes | undefined, operation: DocumentOperation, name: string): boolean {
  if (scopes === undefined) return true;
  const named = scopes[reading.has(operation) ? "read" : "write"] ?? [];
  const [, database = "", collection = ""] = name.split("/");
  return named === "*" || named.includes(database) || named.includes(`${database}/${collection}`);
}
