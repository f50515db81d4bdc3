/** What a plan finds: its kinds, how bad they are, and how they are told. */
import type { Tally } from "../../runtime/migrations/tally.ts";

/** From the mildest to the worst. */
export const severities = ["safe", "blocking", "incompatible", "destructive"] as const;

/**
 * `destructive`: data would be lost or become unreachable. `incompatible`: stored documents or running clients stop working.
 * `blocking`: the server would not start, or queries wait. `safe`: nothing of these.
 */
export type Severity = (typeof severities)[number];

/** Every kind with the severity that it has unless the finding says another. */
export const kinds = {
  "documents-unfit": "incompatible",
  "migration-missing": "incompatible",
  "migration-pending": "blocking",
  "migration-out-of-order": "blocking",
  "rollback-unsafe": "incompatible",
  "unique-clash": "blocking",
  "index-built": "blocking",
  "writes-wait": "blocking",
  "index-dropped": "safe",
  "text-index-rebuilt": "blocking",
  "collection-unconfigured": "destructive",
  "files-orphaned": "destructive",
  "reference-dangling": "incompatible",
  "organization-missing": "incompatible",
  "custom-id-unfit": "incompatible",
  "readers-gained": "incompatible",
  "readers-lost": "incompatible",
  "cursors-end": "incompatible",
  "realtime-ends": "incompatible",
} as const satisfies Readonly<Record<string, Severity>>;

export type FindingKind = keyof typeof kinds;

/** One line of what a finding consists of: a reason at a path, a caller and the clause that lets them in. */
export type FindingDetail = Readonly<Record<string, string | number>>;

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly realm: string;
  /** `support/tickets`, `support/tickets indexes.mail`; empty for the realm as a whole. */
  readonly where: string;
  /** Documents that it is about. */
  readonly count: number;
  /** The first of them, at most 10. */
  readonly ids: readonly string[];
  readonly details: readonly FindingDetail[];
  readonly message: string;
  /** That it takes, estimated. */
  readonly seconds?: number;
}

export interface Plan {
  /** Fingerprints of the configurations. */
  readonly old: string;
  readonly new: string;
  /** The worst first, then by realm and place. */
  readonly findings: readonly Finding[];
  /** Every document was looked at. */
  readonly exact: boolean;
  readonly compared: readonly Compared[];
}

/** A collection that both configurations have. */
export interface Compared {
  readonly realm: string;
  /** `<database>/<collection>`. */
  readonly place: string;
  /** Documents were asked to fit the schema whatever their form; otherwise those alone that are to be migrated. */
  readonly isSchemaChanged: boolean;
}

/** Where findings of a collection are, or of a part of it. */
export interface Spot {
  readonly realm: string;
  readonly where: string;
}

/** A finding about the documents of a tally; in its kind's severity unless another is given. */
export function finding(
  kind: FindingKind,
  { realm, where }: Spot,
  { count, ids = [] }: Partial<Tally> & { readonly count: number },
  message: string,
  more: Partial<Pick<Finding, "severity" | "details" | "seconds">> = {},
): Finding {
  const { severity = kinds[kind], details = [], seconds } = more;
  return {
    ...{ kind, severity, realm, where, count, ids, details, message },
    ...(seconds !== undefined && { seconds }),
  };
}

export function sortedFindings(findings: readonly Finding[]): Finding[] {
  const order = Object.keys(kinds);
  const keyOf = ({ severity, realm, where, kind }: Finding): readonly (string | number)[] => [
    ...[-severities.indexOf(severity), realm, where, order.indexOf(kind)],
  ];
  return [...findings].sort((a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    const at = first.findIndex((part, index) => part !== second[index]);
    return at === -1 ? 0 : (first[at] ?? 0) < (second[at] ?? 0) ? -1 : 1;
  });
}

/** `1 document`, `142 documents`. */
export function counted(count: number, unit = "document"): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** The form of a verb after so many. */
export function verb(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
