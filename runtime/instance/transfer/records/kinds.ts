import { systemCollections } from "../../../auth/collections.ts";
import { organizationCollections } from "../../../organizations/collections.ts";
import type { RealmDefinition } from "../../../realm/definition.ts";
import type { CollectionShape } from "../../../store/contract/shape.ts";
import { UsageError } from "../../command.ts";
import type { Included } from "../include.ts";
import { keyKind } from "./keys.ts";
import type { RecordForm, RecordKind } from "./kind.ts";
import { memberKind } from "./members.ts";
import { organizationKind } from "./organizations.ts";
import { userKind } from "./users.ts";

/** In an order in which each names what comes before it. */
export const recordKinds: readonly RecordKind[] = [userKind, organizationKind, keyKind, memberKind];

/** Records that a realm has. */
export interface RealmRecords {
  readonly kind: RecordKind;
  readonly form: RecordForm;
  readonly shape: CollectionShape;
}

/** Those that are asked for and that the realm can have. */
export function recordsOf(realm: RealmDefinition, all: ReadonlySet<Included>): readonly RealmRecords[] {
  const shapes = [...systemCollections(realm), ...organizationCollections(realm)];
  return recordKinds.flatMap((kind) => {
    const form = all.has(kind.asked) ? kind.of(realm) : undefined;
    const shape = shapes.find(({ name }) => name === kind.collection);
    return form === undefined || shape === undefined ? [] : [{ kind, form, shape }];
  });
}

/** @throws UsageError for what none of the realms can have */
export function requireIncludable(realms: readonly RealmDefinition[], all: ReadonlySet<Included>): void {
  const names = realms.map(({ name }) => name).join(", ");
  if (all.has("users") && realms.every(({ accounts }) => accounts === undefined))
    throw new UsageError(`--include users: there are no accounts in ${names}`);
  if (all.has("organizations") && realms.every(({ accounts }) => accounts?.organizations === undefined))
    throw new UsageError(`--include organizations: there are none in ${names}`);
  if (all.has("files") && realms.every(({ storage }) => storage === undefined))
    throw new UsageError(`--include files: there is no storage in ${names}`);
}
