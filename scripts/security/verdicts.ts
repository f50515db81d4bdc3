/** What each caller is to be answered, by the tables and by what counts of their credential; never by the answer itself. */
import type { KeyScopes } from "../../runtime/realm/caller.ts";
import type { Credential } from "./callers.ts";
import { type DocumentOperation, type Documents, type Own, successOf } from "./table.ts";

const unauthenticated = "401 unauthenticated";
const forbidden = "403 forbidden";

/** @param auth whether the realm has accounts: where it has none, credentials count for administration alone */
export function ownAnswer({ who, answer, session }: Own, credential: Credential, auth: boolean): string {
  if (who === "public" || (who === "anybody" && !auth)) return answer;
  if (credential.kind === "bad") return unauthenticated;
  if (credential.kind === "refused") return credential.answer;
  if (who === "anybody") return answer;
  if (credential.kind === "none") return unauthenticated;
  if (who === "session") return credential.kind === "session" ? answer : forbidden;
  // A key's administration is not lent to the user it acts for.
  if (credential.kind === "delegate" || credential.areas.see.length === 0) return forbidden;
  if (credential.kind === "session" && credential.lapsed) return "401 reauth_required";
  if (!credential.areas[who.to].includes(who.area)) return forbidden;
  return credential.kind === "session" ? (session ?? answer) : answer;
}

const reading: ReadonlySet<DocumentOperation> = new Set(["list", "get", "aggregate", "check"]);

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
  return admitted === answer && credential.kind === "key"
    ? keyAnswer(name, documents, operation, credential.scopes)
    : admitted;
}

/** @param name `<realm>/<database>/<collection>` */
export function documentAnswer(
  name: string,
  documents: Documents,
  operation: DocumentOperation,
  credential: Credential,
): string {
  const verdicts = documents.verdicts[operation];
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
      if (!permits(credential.scopes, operation, name)) return forbidden;
      return verdicts[credential.user] ?? verdicts.others;
    case "key":
      return keyAnswer(name, documents, operation, credential.scopes);
  }
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
