import type { Field } from "../filter/fields.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Sealed, Vault } from "../sealing.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import { collections, secretFields, userFields } from "./collections.ts";
import { totpContext } from "./credentials/second-factor.ts";
import { readSecret, readUser, writeSecret, writeUser } from "./records.ts";

/** What a secret is sealed for. */
export function secretContext(name: string): string {
  return `secret:${name}`;
}

/** Where the store holds something sealed. */
export interface SealedPlace {
  readonly kind: "secrets" | "second_factors" | "mails";
  readonly collection: string;
  /** Holds the id of the key that it was sealed with. */
  readonly key: Field;
  /** The document with the same sealed by the newest key; undefined where no listed key opens it. */
  reseal(document: StoredDocument, vault: Vault): DocumentWrite | undefined;
}

/** Every place in a realm. */
export function sealedPlaces({ accounts }: RealmDefinition): readonly SealedPlace[] {
  return accounts === undefined ? [secrets] : [secrets, secondFactors, pendingFactors];
}

const secrets: SealedPlace = {
  kind: "secrets",
  collection: collections.secrets,
  key: secretFields.value_key,
  reseal(document, vault) {
    const { record, version } = readSecret(document);
    const value = resealed(record.value, secretContext(record.id), vault);
    return value && writeSecret({ ...record, value }, version + 1);
  },
};

const secondFactors: SealedPlace = {
  kind: "second_factors",
  collection: collections.users,
  key: userFields.totp_key,
  reseal(document, vault) {
    const { record, version } = readUser(document);
    const { totp } = record;
    const secret = totp === null ? undefined : resealed(totp.secret, totpContext(record.id), vault);
    return totp === null || secret === undefined
      ? undefined
      : writeUser({ ...record, totp: { ...totp, secret } }, version + 1);
  },
};

/** Those that are being enrolled. */
const pendingFactors: SealedPlace = {
  kind: "second_factors",
  collection: collections.users,
  key: userFields.totp_pending_key,
  reseal(document, vault) {
    const { record, version } = readUser(document);
    const { totp_pending: pending } = record;
    const totp_pending = pending === null ? undefined : resealed(pending, totpContext(record.id), vault);
    return totp_pending && writeUser({ ...record, totp_pending }, version + 1);
  },
};

/** The same sealed by the newest key; undefined where no listed key opens it. */
export function resealed(sealed: Sealed, context: string, vault: Vault): Sealed | undefined {
  const text = vault.open(sealed, context);
  return text === undefined ? undefined : vault.seal(text, context);
}
