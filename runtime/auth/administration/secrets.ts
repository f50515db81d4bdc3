import * as contract from "../../contract/administration.ts";
import { ApiError, invalidBody } from "../../errors.ts";
import { TRUE } from "../../filter/algebra.ts";
import { isId } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import { collections } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";

import { answerPage, lists, pageRequest } from "../paging.ts";
import type { SecretRecord } from "../records.ts";
import { secretNameProblems, storeSecret } from "../secret-storing.ts";
import { appendAudit } from "./audit.ts";

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
    const problems = secretNameProblems(name);
    if (problems.length > 0) throw invalidBody(problems);
    const record = await storeSecret({ store, clock, vault }, { name, value }, (transaction, replaced) =>
      appendAudit(realm, transaction, exchange, caller, {
        action: "secret.put",
        target: `secret:${name}`,
        details: { replaced },
      }),
    );
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

function secretView({ id, created_at, updated_at }: SecretRecord): JsonObject {
  return { name: id, created_at, updated_at };
}
