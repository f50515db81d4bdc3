/** What a rehearsal found on a copy of the store, held against what the plan counted there. */
import type { MigrateResult } from "../../runtime/instance/migrate-results.ts";
import type { Finding as Flaw } from "../../runtime/instance/verify/findings.ts";
import type { Verified } from "../../runtime/instance/verify/verify.ts";
import { type FindingKind, type Plan, verb } from "./finding.ts";

/** A collection's migrations, as they ran. */
export type RehearsedCollection = Required<
  Pick<MigrateResult, "collection" | "migrations" | "written" | "refused" | "reasons" | "failed">
>;

export interface RehearsedRealm {
  readonly realm: string;
  /** That the migrations took. */
  readonly seconds: number;
  /** Of its database. */
  readonly bytes: { readonly before: number; readonly after: number };
  readonly collections: readonly RehearsedCollection[];
  /** Why its migrations came to no end: a server would not start, either. */
  readonly stopped?: string;
}

/** What `verify` says of the copy after its migrations. */
export interface RehearsalVerified {
  readonly seconds: number;
  readonly count: number;
  /** Of these, those about documents that are whole and do not fit their schema. */
  readonly misfits: number;
  /** The first. */
  readonly findings: readonly Flaw[];
  readonly realms: readonly Verified[];
}

export interface Rehearsed {
  readonly seconds: number;
  readonly realms: readonly RehearsedRealm[];
  readonly verify: RehearsalVerified;
}

export interface Rehearsal extends Rehearsed {
  readonly differences: readonly Difference[];
}

/** Something that the plan says otherwise than the rehearsal. */
export interface Difference {
  readonly realm: string;
  readonly where: string;
  /** Of the finding; `verify` for what only that finds. */
  readonly kind: FindingKind | "verify";
  /** Documents that the plan counted, and that the rehearsal met. */
  readonly planned: number;
  readonly rehearsed: number;
  readonly message: string;
}

/** What keeps a server, and migrations, from starting. */
const stopping: readonly FindingKind[] = ["unique-clash", "migration-out-of-order"];

/** Every place at which they say something else. */
export function differencesOf(plan: Plan, { realms, verify }: Rehearsed): readonly Difference[] {
  return [
    ...plan.compared.flatMap(({ realm, place, isSchemaChanged }) => {
      const verified = verify.realms
        .find((each) => each.realm === realm)
        ?.collections.find(({ collection }) => collection === place);
      const own = realms.find((each) => each.realm === realm);
      const ran = own?.collections.find(({ collection }) => collection === place);
      const { refused = 0, unfit = 0 } = verified ?? {};
      const at = { realm, place };
      const unfits = refused + (isSchemaChanged ? unfit : 0);
      return [
        ...countDifference(plan, at, "documents-unfit", unfits, "do not fit"),
        ...(own?.stopped === undefined ? ranDifferences(plan, at, ran, refused) : []),
      ];
    }),
    ...realms.flatMap((realm) => stopDifference(plan, realm)),
    ...verifyDifference(verify),
  ];
}

interface At {
  readonly realm: string;
  readonly place: string;
}

/** @param unfit documents that its migrations refuse for what they are */
function ranDifferences(
  plan: Plan,
  at: At,
  ran: RehearsedCollection | undefined,
  unfit: number,
): Difference[] {
  const { written = 0, refused = 0 } = ran ?? {};
  return [
    ...countDifference(plan, at, "migration-pending", written + refused, "were to be migrated"),
    ...(ran === undefined ? [] : clashDifference(plan, at, refused - unfit)),
  ];
}

function countDifference(
  plan: Plan,
  { realm, place }: At,
  kind: FindingKind,
  count: number,
  words: string,
): Difference[] {
  const planned = plannedCount(plan, { realm, place }, kind);
  if (planned === count) return [];
  const message = `the plan counted ${planned}, and in the rehearsal ${count} ${words}`;
  return [{ realm, where: place, kind, planned, rehearsed: count, message }];
}

/** A plan counts all that have a value in common, a migration refuses the later ones: whether there are any is the same. */
function clashDifference(plan: Plan, { realm, place }: At, left: number): Difference[] {
  const planned = plannedCount(plan, { realm, place }, "unique-clash");
  if (left <= 0 || planned > 0) return [];
  const message = `the plan counted none, and ${left} that fit could not be written: unique indexes or the size of a document refuse them`;
  return [{ realm, where: place, kind: "unique-clash", planned, rehearsed: left, message }];
}

function plannedCount({ findings }: Plan, { realm, place }: At, kind: FindingKind): number {
  return findings
    .filter((each) => each.kind === kind && each.realm === realm && each.where.split(" ")[0] === place)
    .reduce((sum, { count }) => sum + count, 0);
}

function stopDifference({ findings }: Plan, { realm, stopped }: RehearsedRealm): Difference[] {
  if (stopped === undefined) return [];
  const isTold = findings.some((each) => each.realm === realm && stopping.includes(each.kind));
  if (isTold) return [];
  const message = `the plan says nothing that stops migrations, and they stopped: ${stopped}`;
  return [{ realm, where: "", kind: "migration-pending", planned: 0, rehearsed: 0, message }];
}

function verifyDifference({ count, misfits }: RehearsalVerified): Difference[] {
  const others = count - misfits;
  if (others === 0) return [];
  const message = `verify finds ${others} more that ${verb(others, "is", "are")} wrong with the copy, which no plan looks for`;
  return [{ realm: "", where: "", kind: "verify", planned: 0, rehearsed: others, message }];
}
