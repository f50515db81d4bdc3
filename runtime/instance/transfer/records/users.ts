import { collections, uniqueIndexes } from "../../../auth/collections.ts";
import { readUser, writeUser } from "../../../auth/records.ts";
import { heldRoles, isRole, withSessionsEnded } from "../../../auth/users.ts";
import { isGeneratedId } from "../../../ids.ts";
import type { JsonObject } from "../../../json.ts";
import type { AccountSettings } from "../../../realm/definition.ts";
import { alternatives } from "../../../suggest.ts";
import { validationDetails } from "../../../validation/details.ts";
import { emailKey } from "../../../validation/people.ts";
import { checked, type Fields, type Form, flag, object, strings, time } from "./fields.ts";
import type { RecordForm, RecordKind } from "./kind.ts";

/** Accounts, with the hashes of their passwords; never their sessions, second factors, or what mails hand out. */
export const userKind: RecordKind = {
  asked: "users",
  path: "_users",
  collection: collections.users,
  taken: "a user with this id exists",
  clashes: { [uniqueIndexes.email]: "email: another account has this address" },
  action: "user.import",
  of: ({ accounts }) => accounts && formOf(accounts),
};

function formOf(accounts: AccountSettings): RecordForm {
  return {
    shown(stored) {
      const { record } = readUser(stored);
      const { id, email, email_verified, password, disabled, locale, profile, created_at } = record;
      const roles = [...heldRoles(record, accounts)];
      return { id, email, email_verified, password, roles, disabled, locale, profile, created_at };
    },
    idIn: ({ id }) => id,
    isGenerated: true,
    fits: isGeneratedId,
    made(fields, id, now, found) {
      const before = found && readUser(found);
      const email = fields.required("email", checked("email"), "");
      const ended = before && withSessionsEnded(before.record);
      const record = {
        id,
        email,
        email_key: emailKey(email) ?? email,
        email_verified: fields.optional("email_verified", flag, false),
        password: fields.optional("password", passwordHash, null),
        roles: rolesIn(fields, accounts),
        disabled: fields.optional("disabled", flag, false),
        locale: fields.optional("locale", checked("locale"), null),
        profile: profileIn(fields, accounts),
        created_at: fields.optional("created_at", time, before?.record.created_at ?? now),
        generation: ended?.generation ?? 1,
        // One that the account has here goes on protecting it.
        totp: ended?.totp ?? null,
        totp_pending: null,
      };
      return { document: writeUser(record, (before?.version ?? 0) + 1) };
    },
  };
}

/** Memory (KiB) and passes that a hash may ask a server for at each login. */
const most = { memory: 1024 ** 2, passes: 16, lanes: 16 };

const phc =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,7}),t=([1-9]\d{0,3}),p=([1-9]\d{0,2})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;

const passwordHash: Form<string> = {
  is: "an argon2id hash ($argon2id$v=19$m=…,t=…,p=…$…), or null for a user who is to choose one",
  read(value, told) {
    const [hash, memory, passes, lanes] = (typeof value === "string" ? phc.exec(value) : null) ?? [];
    if (hash === undefined) return undefined;
    if (Number(memory) > most.memory || Number(passes) > most.passes || Number(lanes) > most.lanes)
      told(`must take no more than m=${most.memory},t=${most.passes},p=${most.lanes}`);
    return hash;
  },
};

function rolesIn(fields: Fields, accounts: AccountSettings): readonly string[] {
  const roles = fields.optional("roles", strings, accounts.defaultRoles);
  for (const role of roles.filter((each) => !isRole(each, accounts)))
    fields.tell(
      "roles",
      `names ${JSON.stringify(role)}, and roles are ${alternatives(accounts.roles.map(({ name }) => name))}`,
    );
  return [...new Set(roles)];
}

function profileIn(fields: Fields, { validateProfile }: AccountSettings): JsonObject | null {
  const profile = fields.optional("profile", object, null);
  if (profile !== null && validateProfile !== undefined && !validateProfile(profile))
    for (const { path, reason } of validationDetails(validateProfile.errors ?? [], "profile", profile))
      fields.tell(path, reason);
  return profile;
}
