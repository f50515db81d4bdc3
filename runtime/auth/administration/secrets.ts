import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import { TRUE } from "../../filter/algebra.ts";
import { isId } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import type { Exchange, RealmInstance, Received, Route } from "../../realm/exchange.ts";
import { collections } from "../collections.ts";
import { BodyReader, invalid } from "../input.ts";
import { answerPage, lists, pageParameters, pageRequest } from "../paging.ts";
import { readSecret, type SecretRecord, writeSecret } from "../records.ts";
import { secretContext } from "../sealed.ts";
import { administratorRoute } from "./administrator.ts";
import { appendAudit } from "./audit.ts";
import { putRecord } from "./put.ts";

/** Secrets of one realm. */
const most = 1_000;
/** Characters of a value. */
const longest = 65_536;

const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** GET `/secrets`: names and times, never values. */
export function listSecrets(realm: RealmInstance): Route {
  return administratorRoute(
    realm,
    { area: "secrets", to: "see" },
    async (_, _by, query) => answerPage(realm, lists.secrets, TRUE, pageRequest(query), secretView),
    pageParameters,
  );
}

/** PUT `/secrets/{name}`: `value`, in place of the one there is, if any. */
export function putSecret(realm: RealmInstance): Route {
  const { store, clock, vault } = realm;
  return administratorRoute(realm, { area: "secrets", to: "change" }, async (exchange, { caller }) => {
    const name = secretName(exchange);
    const text = readValue(exchange, name);
    const sealed = vault.seal(text, secretContext(name));
    const secrets = store.collection(collections.secrets);
    if ((await secrets.get(name, "live")) === undefined && (await secrets.count(TRUE, "live")) >= most) {
      throw new ApiError("conflict", `A realm has at most ${most} secrets.`);
    }
    const now = timestamp(clock.now());
    const record = await putRecord<SecretRecord>(store, {
      collection: collections.secrets,
      id: name,
      read: readSecret,
      write: writeSecret,
      next: (before) => ({ id: name, value: sealed, created_at: before?.created_at ?? now, updated_at: now }),
      along: (transaction, before) =>
        appendAudit(realm, transaction, exchange, caller, {
          action: "secret.put",
          target: `secret:${name}`,
          details: { replaced: before !== undefined },
        }),
    });
    return { status: 200, body: JSON.stringify(secretView(record)) };
  });
}

/** DELETE `/secrets/{name}`. */
export function deleteSecret(realm: RealmInstance): Route {
  return administratorRoute(realm, { area: "secrets", to: "change" }, async (exchange, { caller }) => {
    const name = secretName(exchange);
    const removed = await realm.store.transaction(async (transaction) => {
      if (!(await transaction.collection(collections.secrets).remove(name))) return false;
      const target = `secret:${name}`;
      await appendAudit(realm, transaction, exchange, caller, { action: "secret.delete", target });
      return true;
    });
    if (!removed) throw noSuchSecret();
    return { status: 204 };
  });
}

function noSuchSecret(): ApiError {
  return new ApiError("not_found", "There is no such secret.");
}

/** @throws ApiError `not_found` for what names nothing at all */
function secretName({ params }: Exchange): string {
  const { name = "" } = params;
  if (!isId(name)) throw noSuchSecret();
  return name;
}

/** @throws ApiError `validation_error`, for a name that no secret can have too */
function readValue(exchange: Received, name: string): string {
  const body = new BodyReader(exchange, "application/json");
  const value = body.string("value");
  if (value.length < 1 || value.length > longest) {
    body.problem("value", `must have 1 to ${longest} characters`);
  }
  body.finish();
  if (!nameForm.test(name)) {
    const reason = "must begin with a letter and have at most 63 letters, digits and _";
    throw invalid([{ path: "name", reason }]);
  }
  return value;
}

function secretView({ id, created_at, updated_at }: SecretRecord): JsonObject {
  return { name: id, created_at, updated_at };
}
