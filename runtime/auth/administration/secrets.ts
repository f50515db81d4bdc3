import { timestamp } from "../../clock.ts";
import * as contract from "../../contract/administration.ts";
import { ApiError, invalidBody } from "../../errors.ts";
import { TRUE } from "../../filter/algebra.ts";
import { isId } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import { collections } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";

import { answerPage, lists, pageRequest } from "../paging.ts";
import { readSecret, type SecretRecord, writeSecret } from "../records.ts";
import { secretContext } from "../sealed.ts";
import { appendAudit } from "./audit.ts";
import { putRecord } from "./put.ts";

/** Secrets of one realm. */
const most = 1_000;

const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export const listSecrets = administratorRoute(
  contract.listSecrets,
  (realm) =>
    async ({ query }) =>
      answerPage(realm, lists.secrets, TRUE, pageRequest(query), secretView),
);

export const putSecret = administratorRoute(contract.putSecret, (realm) => {
  const { store, clock, vault } = realm;
  return async ({ exchange, params, body }, { caller }) => {
    const name = secretName(params);
    const { value } = body();
    requireForm(name);
    const sealed = vault.seal(value, secretContext(name));
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
    return secretView(record);
  };
});

export const deleteSecret = administratorRoute(
  contract.deleteSecret,
  (realm) =>
    async ({ exchange, params }, { caller }) => {
      const name = secretName(params);
      const removed = await realm.store.transaction(async (transaction) => {
        if (!(await transaction.collection(collections.secrets).remove(name))) return false;
        const target = `secret:${name}`;
        await appendAudit(realm, transaction, exchange, caller, { action: "secret.delete", target });
        return true;
      });
      if (!removed) throw noSuchSecret();
    },
);

function noSuchSecret(): ApiError {
  return new ApiError("not_found", "There is no such secret.");
}

/** @throws ApiError `not_found` for what names nothing at all */
function secretName({ name }: { readonly name: string }): string {
  if (!isId(name)) throw noSuchSecret();
  return name;
}

/** @throws ApiError `validation_error` for a name that no secret can have */
function requireForm(name: string): void {
  if (nameForm.test(name)) return;
  const reason = "must begin with a letter and have at most 63 letters, digits and _";
  throw invalidBody([{ path: "name", reason }]);
}

function secretView({ id, created_at, updated_at }: SecretRecord): JsonObject {
  return { name: id, created_at, updated_at };
}
